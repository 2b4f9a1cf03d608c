import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ROOT } from '../runtimes/program.ts'
import { listen } from '../shared/listen.ts'
import { useBrowser } from './browser.ts'
import { violations } from './violations.ts'

const DIRECTORY = join(ROOT, 'docs/dist')
const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
}
const PHONE = { width: 375, height: 812 }

/** Questions of a newcomer, and the page that the first answer of the search is on. */
const QUESTIONS = {
  'how do I mount it in Hono': 'docs/hosts/hono',
  413: 'docs/reference/errors',
  'rotate keys': 'docs/sign-in/jwt',
  'back up SQLite': 'docs/tasks/back-up',
  "delete an owner's plants": 'docs/recipes/delete-an-owner',
}

const chromium = useBrowser()
let site: Awaited<ReturnType<typeof listen>>
beforeAll(async () => {
  // Follows all links, too.
  await promisify(execFile)('npm', ['run', 'docs'], { cwd: ROOT })
  site = await listen((request, response) => {
    const path = decodeURIComponent(request.url!.split('?')[0]!).replace(/\/$/, '/index.html')
    readFile(join(DIRECTORY, path)).then(
      (bytes) => response.setHeader('content-type', TYPES[extname(path)] ?? '').end(bytes),
      () => response.writeHead(404).end(),
    )
  })
}, 240_000)
afterAll(() => site?.close())

async function open(path: string, options: object = {}) {
  const page = await chromium.browser.newPage({ bypassCSP: true, ...options })
  onTestFinished(() => page.close())
  await page.goto(`${site.url}/${path}`)
  return page
}

describe('The search of the site', () => {
  it.each(Object.entries(QUESTIONS))('leads from "%s" to %s', async (question, answer) => {
    const page = await open('docs/')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('searchbox').fill(question)
    await expect
      .poll(() => page.locator('.result').first().getAttribute('href', { timeout: 1000 }))
      .toContain(`/${answer}.html`)
  })
})

describe('The site', () => {
  it.each([
    '',
    'docs/hosts/hono.html',
    'docs/reference/contract.html',
    'docs/reference/api/plant-store.html',
  ])('meets WCAG 2.2 AA and fits a phone: /%s', async (path) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open(path, { viewport: PHONE, colorScheme })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width)
      expect(await violations(page)).toEqual([])
    }
  })

  it('leads from any page to any section, on a phone too', async () => {
    const page = await open('docs/hosts/hono.html', { viewport: PHONE })
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    const menu = page.getByRole('navigation', { name: 'Sidebar Navigation' })
    await menu.getByRole('link', { name: 'Recipes', exact: true }).click()
    await expect.poll(() => page.title()).toContain('Recipes')
  })
})
