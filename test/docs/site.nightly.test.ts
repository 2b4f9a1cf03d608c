import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { type Program, ROOT, run, startProgram } from '../runtimes/program.ts'
import { freePort } from '../shared/free-port.ts'
import { useBrowser } from './browser.ts'
import { violations } from './violations.ts'

const DIRECTORY = join(ROOT, 'docs/dist')
const PHONE = { width: 375, height: 812 }
const TABLET = { width: 800, height: 1100 }
const LAPTOP = { width: 1440, height: 900 }

/** What people type, and the page that one of the first three results of the search is on. */
const QUESTIONS = {
  'how do I mount it in Hono': 'docs/hosts/hono',
  413: 'docs/reference/errors',
  'rotate keys': 'docs/sign-in/jwt',
  'back up SQLite': 'docs/tasks/back-up',
  "delete an owner's plants": 'docs/recipes/delete-an-owner',
  pagination: 'docs/reference/contract',
  python: 'docs/recipes/python',
  redis: 'docs/recipes/redis',
  prometheus: 'docs/recipes/prometheus',
  'how do I add a field to a plant': 'docs/reference/limits',
  'edit a plant': 'docs/reference/limits',
  'multi tenant': 'docs/sign-in/',
  'delete button': 'docs/reference/limits',
  session: 'docs/sign-in/your-app',
  'rate limit': 'docs/sign-in/rate-limits',
  upgrade: 'docs/tasks/deploy',
  shutdown: 'docs/tasks/stop',
  cors: 'docs/reference/security',
  performance: 'test/bench/README',
}

const chromium = useBrowser()
let site: Program
beforeAll(async () => {
  // Follows all links, too.
  await run('npm', ['run', 'docs'])
  site = await startProgram(
    `docs/node_modules/.bin/vitepress preview docs --port ${await freePort()}`,
  )
}, 240_000)
afterAll(() => site?.stop())

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
    const firstResults = () =>
      page
        .locator('.result')
        .evaluateAll((results) => results.slice(0, 3).map((link) => link.getAttribute('href')))
    const isOnPage = expect.stringMatching(new RegExp(`^/${answer}(?:\\.html)?(?:#|$)`))
    await expect.poll(firstResults, { timeout: 20_000 }).toContainEqual(isOnPage)
  })
})

const PAGES = [
  '',
  'README.html',
  'docs/hosts/hono.html',
  'docs/reference/contract.html',
  'docs/reference/api/',
  'docs/reference/api/plant-store.html',
]

describe('The site', () => {
  it.each(PAGES)(
    'meets WCAG 2.2 AA and fits each screen, in light and dark: /%s',
    async (path) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const viewport of [PHONE, TABLET, LAPTOP]) {
          const page = await open(path, { viewport, colorScheme })
          const cut = await page.evaluate(() =>
            [document.documentElement, ...document.querySelectorAll('pre, table')]
              .filter((element) => element.scrollWidth > element.clientWidth && element.clientWidth)
              .map((element) => element.textContent),
          )
          expect(cut).toEqual([])
          expect(await violations(page)).toEqual([])
        }
      }
    },
    120_000,
  )

  it('has its mark, version, repository, license and a link to edit on each page', async () => {
    for (const path of PAGES.slice(1, 4)) {
      const page = await open(path, { viewport: LAPTOP })
      const banner = page.getByRole('banner')
      expect(await banner.locator('img.logo').evaluate((img: any) => img.naturalWidth)).toBe(512)
      expect(await banner.getByText(`v${manifest.version}`).count()).toBe(1)
      expect(await banner.getByRole('link', { name: 'Source code' }).count()).toBe(1)
      expect(await page.getByRole('link', { name: 'MIT License' }).isVisible()).toBe(true)
      const edit = await page.getByRole('link', { name: 'Edit this page' }).getAttribute('href')
      expect(existsSync(join(ROOT, edit!.replace(/^.+\/edit\/main\//, '')))).toBe(true)
    }
    const generated = await open('docs/reference/api/plant-store.html')
    expect(await generated.getByRole('link', { name: 'Edit this page' }).count()).toBe(0)
  })

  it('has the title and the text of each page', () => {
    const pages = globSync('**/*.html', { cwd: DIRECTORY }).filter((page) => page !== '404.html')
    const isBlank = (page: string) => !readFileSync(join(DIRECTORY, page), 'utf8').includes('</h1>')
    expect(pages.length).toBeGreaterThan(100)
    expect(pages.filter(isBlank)).toEqual([])
  })

  it('describes each page by its own words where it is linked to', async () => {
    const page = await open('docs/hosts/hono.html')
    const description = page.locator('meta[property="og:description"]')
    expect(await description.getAttribute('content')).toMatch(/^Mount the store in Hono\b/)
  })

  it('has an icon, and a picture for where it is linked to', async () => {
    const page = await open('')
    const icon = await page.locator('link[rel=icon]').getAttribute('href')
    const picture = await page.locator('meta[property="og:image"]').getAttribute('content')
    for (const file of [icon!, new URL(picture!).pathname]) {
      const response = await fetch(`${site.url}/${file.replace(/^\//, '')}`)
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        expect.stringMatching(/^image\//),
      ])
    }
  })

  it('lists its pages, as Markdown, for language models', () => {
    const list = readFileSync(join(DIRECTORY, 'llms.txt'), 'utf8')
    expect(list).toMatch(/\[Hono\]\(https:.+\/raw\/main\/docs\/hosts\/hono\.md\)/)
  })

  it('shows the command of each package manager', async () => {
    const page = await open('README.html')
    await page.locator('label', { hasText: 'pnpm' }).click()
    expect(await page.getByText(/^pnpm add /).isVisible()).toBe(true)
  })

  it('says in the index of the API what each entry is for', async () => {
    const page = await open('docs/reference/api/')
    const rows = await page.locator('main tbody tr').allInnerTexts()
    expect(rows).toHaveLength(Object.keys(manifest.exports).length - 2)
    for (const row of rows) expect(row).toMatch(/^plant-store\S*\s+\w.{20,}/)
  })

  it('leads from any page to any section, on a phone too', async () => {
    const page = await open('docs/hosts/hono.html', { viewport: PHONE })
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    const menu = page.getByRole('navigation', { name: 'Sidebar Navigation' })
    await menu.getByRole('link', { name: 'Recipes', exact: true }).click()
    await expect.poll(() => page.title()).toContain('Recipes')
  })
})
