import type { BrowserContextOptions, Page, Route } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createPlantClient } from '../../src/client.ts'
import { useBrowser } from '../docs/browser.ts'
import { violations } from '../docs/violations.ts'
import { listening } from '../shared/listening.ts'
import { send } from '../shared/server-process.ts'
import { useCommand } from './command.ts'

const command = useCommand()
const chromium = useBrowser()
const start = async (...args: string[]) => (await command.start({ args })).url

/** The server with the demo token, without plants. A mock can begin again. */
let demo: string
/** The server with secret tokens. */
let secret: string
beforeAll(async () => {
  const tokens = ['--token', 's3cret=alice', '--token', 'a=ann', '--token', 'b=bob']
  const servers = [start('--mock'), start('--db', ':memory:', ...tokens)]
  ;[demo, secret] = (await Promise.all(servers)) as [string, string]
})
beforeEach(async () => void (await send(`${demo}/mock/reset`, 'demo-token', 'POST')))

/** Opens a page in the browser. At the end of the test, it has complained of nothing and asked nobody else. */
async function open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
  // axe adds inline styles, which the page's own policy forbids.
  const page = await chromium.browser.newPage({ bypassCSP: true, ...options })
  const complaints: string[] = []
  const elsewhere: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (message) => {
    // A failure of the API is what the page shows.
    if (!/^Failed to load resource/.test(message.text())) complaints.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL('/', url).href)) elsewhere.push(request.url())
  })
  page.setDefaultTimeout(20_000)
  onTestFinished(async () => {
    await page.close()
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] })
  })
  await page.goto(url)
  return page
}

const names = (page: Page) => page.locator('#plants li').allInnerTexts()
const status = (page: Page) => page.getByRole('status').innerText()
/** The exchange that is open: the last that the visitor has asked for. */
const exchange = (page: Page) => page.locator('#log details[open]').innerText()
async function add(page: Page, values: Record<string, string>): Promise<void> {
  for (const [id, value] of Object.entries(values)) await page.locator(`#${id}`).fill(value)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
}

const TABLET = { viewport: { width: 820, height: 1180 } }
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }
const DESK = { viewport: { width: 1440, height: 900 } }
const GREATEST = '9223372036854775807'

describe('The page at /', () => {
  it('adds, lists page by page and deletes, shows what goes wrong, and nothing jumps', async () => {
    const page = await open(demo, PHONE)
    const buttons = ['List', 'Next page', 'Add', 'Another id', 'Copy', 'Delete']
    const button = (name: string) =>
      page.locator('#actions').getByRole('button', { name, exact: true }).first()
    async function places(): Promise<unknown[]> {
      const found = []
      for (const { viewport } of [DESK, PHONE]) {
        await page.setViewportSize(viewport)
        found.push(await Promise.all(buttons.map((name) => button(name).boundingBox())))
      }
      return found
    }
    await expect.poll(() => names(page)).toEqual(['No plants on this page.'])
    const before = await places()

    await add(page, { id: GREATEST, name: '<b>Moss</b>', tag: 'indoor' })
    await expect.poll(() => names(page)).toEqual(['<b>Moss</b>\nindoor'])
    expect(await exchange(page)).toMatch(/^200\s*POST \/plants/)
    expect(await exchange(page)).toContain(`-d '{"id":${GREATEST},"name":"<b>Moss</b>"`)
    expect(await exchange(page)).toContain('{"name":"<b>Moss</b>","tag":"indoor"}')
    // The next id is another, beyond 2^53.
    expect(await page.locator('#id').inputValue()).toMatch(/^-?\d{16,19}$/)
    expect(await page.locator('#name').inputValue()).toBe('')

    await add(page, { id: GREATEST, name: "Moss's" })
    await expect.poll(() => status(page)).toBe('400 · A plant with this id already exists.')
    expect(await exchange(page)).toMatch(/content-type\s+application\/json/)
    // As a shell takes a quote.
    expect(await exchange(page)).toContain(`"name":"Moss'\\''s"`)
    expect(await page.locator('#log summary').first().innerText()).toMatch(/^400\s*POST/)
    expect(await exchange(page)).toContain('"error":40003')
    for (const [id, problem] of [
      ['7.5', 'got 7.5'],
      ['seven', 'got a string'],
      ['', 'is required'],
      ['1,"name":"Ivy"', 'got a string'],
    ] as const) {
      await add(page, { id })
      await expect.poll(() => status(page)).toMatch(new RegExp(`^400 · id .*${problem}`))
    }
    for (const id of ['1', '2', '3e0', '4.0', '5']) {
      await add(page, { id, name: `Fern ${id}` })
      await expect.poll(() => names(page)).toContain(`Fern ${id}`)
    }
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect.poll(() => names(page)).toEqual(['<b>Moss</b>\nindoor'])
    expect(await page.locator('#next').getAttribute('aria-disabled')).toBe('true')
    expect(await places()).toEqual(before)

    const added = page.locator('#added li')
    expect(await added.allInnerTexts()).toContain(`<b>Moss</b>\n${GREATEST}\nDelete`)
    await page.getByRole('button', { name: `Delete <b>Moss</b>, ${GREATEST}` }).click()
    await expect.poll(() => added.count()).toBe(5)
    expect(await exchange(page)).toMatch(/^204\s*DELETE[\s\S]*-X DELETE/)
    await page.getByRole('button', { name: 'Delete Fern 3e0, 3' }).click()
    await expect.poll(() => added.count()).toBe(4)
    await page.locator('#remove-id').fill('007')
    await page.locator('#remove button').click()
    await expect.poll(() => status(page)).toMatch(/^400 · The id in the path must be/)
    await page.locator('#token').fill('wrong')
    await page.getByRole('button', { name: 'List' }).click()
    await expect.poll(() => status(page)).toBe('401 · The token is not valid.')
    expect(await exchange(page)).toMatch(/www-authenticate\s+Bearer realm="plants"/)
  })

  it('meets WCAG 2.2 AA in both themes, and fits a phone, a tablet and a desk', async () => {
    const page = await open(demo, PHONE)
    await add(page, { id: GREATEST, name: `Monstera ${'deliciosa'.repeat(30)}`, tag: 'indoor' })
    await expect.poll(() => page.locator('#log details').count()).toBe(3)
    await add(page, { id: GREATEST })
    await expect.poll(() => status(page)).toMatch(/^400/)
    for (const { viewport } of [PHONE, TABLET, DESK]) {
      await page.setViewportSize(viewport)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await violations(page)).toEqual([])
        const width = await page.evaluate(() => document.documentElement.scrollWidth)
        expect(width).toBe(viewport.width)
      }
    }
  })

  it('is used by the keyboard alone', async () => {
    const page = await open(demo, DESK)
    const focused = () =>
      page.evaluate(() => {
        const { id, innerText } = document.activeElement as HTMLElement
        return id || innerText
      })
    async function tabTo(name: string): Promise<void> {
      for (let i = 0; i < 40 && (await focused()) !== name; i++) await page.keyboard.press('Tab')
      expect(await focused()).toBe(name)
    }
    await tabTo('name')
    await page.keyboard.type('Moss')
    await page.keyboard.press('Enter')
    await expect.poll(() => names(page)).toEqual(['Moss'])
    await tabTo('Delete')
    await page.keyboard.press('Enter')
    await expect.poll(() => names(page)).toEqual(['No plants on this page.'])
    // Its button has gone.
    expect(await focused()).toBe('added')
    await page.keyboard.press('Shift+Tab')
    expect(await focused()).toBe('Copy')
    await page.keyboard.press('Enter')
    // A browser may refuse the clipboard to a page.
    await expect.poll(focused).toMatch(/^(?:Copied|Selected)$/)
  })

  it('keeps a secret token out of itself and of its commands, and forgets it', async () => {
    expect(await (await fetch(secret)).text()).not.toMatch(/demo-token|s3cret/)
    const page = await open(secret, DESK)
    expect(await names(page)).toEqual(['Not listed yet.'])
    expect(await page.locator('#token').getAttribute('type')).toBe('password')
    await page.locator('#token').fill('s3cret')
    await page.getByRole('button', { name: 'List' }).click()
    await expect.poll(() => status(page)).toMatch(/^200/)
    expect(await exchange(page)).toContain('-H "Authorization: Bearer $TOKEN"')
    expect(await page.locator('body').innerText()).not.toContain('s3cret')
    await page.reload()
    expect(await page.locator('#token').inputValue()).toBe('')
  })

  it('keeps a plant whose create was carried out, though its response was lost', async () => {
    const page = await open(demo, DESK)
    let isLost = true
    await page.route('**/plants', async (route) => {
      const response = await route.fetch()
      return isLost ? route.abort() : route.fulfill({ response })
    })
    const id = await page.locator('#id').inputValue()
    await add(page, { name: 'Moss' })
    await expect.poll(() => status(page)).toMatch(/^Failed · No response/)
    isLost = false
    await add(page, {})
    await expect
      .poll(() => page.locator('#added li').allInnerTexts())
      .toEqual([`Moss\n${id}\nDelete`])
    await createPlantClient({ baseUrl: demo, token: 'demo-token' }).delete(BigInt(id))
  })

  it('keeps ids exact in any notation, and for the token that they were added with', async () => {
    const page = await open(secret, DESK)
    const added = () => page.locator('#added .id').allInnerTexts()
    await page.locator('#token').fill('a')
    for (const [id, decimal] of [
      ['9007199254740993.0', '9007199254740993'],
      ['-90071992547409.95e2', '-9007199254740995'],
      ['9007199254740997000e-3', '9007199254740997'],
      ['-0e999', '0'],
    ] as const) {
      await add(page, { id })
      await expect.poll(async () => (await added())[0]).toBe(decimal)
    }
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('"a"')
    await page.locator('#token').fill('b')
    expect(await added()).toEqual([])
    await page.locator('#remove-id').fill('0')
    await page.locator('#remove button').click()
    await expect.poll(() => status(page)).toBe('404 · No plant has this id.')
    await page.reload()
    await page.locator('#token').fill('a')
    expect(await added()).toHaveLength(4)
    await page.getByRole('button', { name: 'Delete , 0' }).click()
    await expect.poll(async () => (await added()).length).toBe(3)
    await page.locator('#limit').fill('0')
    await page.getByRole('button', { name: 'List' }).click()
    await expect.poll(() => names(page)).toEqual(['No plants on this page.'])
  })

  it('takes clicks while it lists again after a change', async () => {
    const page = await open(demo, DESK)
    await expect.poll(() => names(page)).toEqual(['No plants on this page.'])
    // The list has no response.
    await page.route('**/plants?limit=5', () => {})
    const added = page.locator('#added .id')
    await add(page, { id: '1', name: 'Moss' })
    await expect.poll(() => added.allInnerTexts()).toEqual(['1'])
    await add(page, { id: '2', name: 'Fern' })
    await expect.poll(() => added.allInnerTexts()).toEqual(['2', '1'])
    await page.getByRole('button', { name: 'Delete Moss, 1' }).click()
    await expect.poll(() => added.allInnerTexts()).toEqual(['2'])
    expect(await status(page)).toBe('204 · DELETE /plants/1')
  })

  it('takes clicks before its first list has come, which is then out of date', async () => {
    const page = await open(demo, DESK)
    await expect.poll(() => names(page)).toEqual(['No plants on this page.'])
    const late = Promise.withResolvers<void>()
    const answerLate = (route: Route) => late.promise.then(() => route.fulfill({ json: [] }))
    await page.route('**/plants?limit=5', answerLate, { times: 1 })
    await page.reload()
    await add(page, { name: 'Moss' })
    await expect.poll(() => names(page)).toEqual(['Moss'])
    late.resolve()
    await expect.poll(() => page.locator('#log details').count()).toBe(3)
    expect(await names(page)).toEqual(['Moss'])
  })

  it('says that a request is on its way, and waits for a response no longer than 30 s', async () => {
    const page = await open(demo, DESK)
    await expect.poll(() => names(page)).toEqual(['No plants on this page.'])
    // No response at all.
    let sent = 0
    await page.route('**/plants', () => void sent++)
    await page.evaluate(() => {
      const timeout = AbortSignal.timeout
      AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 30)
    })
    await add(page, { name: 'Moss' })
    await expect.poll(() => status(page)).toBe('Sending POST /plants…')
    // By a double click, for example.
    await add(page, {})
    await expect.poll(() => status(page)).toMatch(/^Failed · No response: .*timed out/)
    expect(sent).toBe(1)
    await page.unroute('**/plants')
    await add(page, {})
    await expect.poll(() => names(page)).toEqual(['Moss'])
    expect(await status(page)).toBe('200 · POST /plants')
  })

  it('is not shown in a frame, and runs no script but its own', async () => {
    const page = await open(secret, { bypassCSP: false })
    expect(await page.locator('#id').inputValue()).toMatch(/^-?\d+$/)
    const guide = await open(`${page.url()}docs/index.md`, { bypassCSP: false })
    await guide.getByRole('heading', { name: 'Guides' }).waitFor()
    const { url } = await listening((_, response) => {
      response.setHeader('content-type', 'text/html').end(`<iframe src="${page.url()}"></iframe>`)
    })
    const frame = await chromium.browser.newPage()
    onTestFinished(() => frame.close())
    await frame.goto(url)
    await expect.poll(() => frame.frames().at(-1)!.url()).toMatch(/^chrome-error:/)
    const policy = (await fetch(page.url())).headers.get('content-security-policy')!
    expect(policy.replaceAll(/sha256-[^']+/g, 'hash')).toBe(
      "default-src 'none'; script-src 'hash'; style-src 'hash'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
  })
})

describe('The guides', () => {
  it('lead from the page to every other, and are Markdown to a program', async () => {
    const page = await open(demo, PHONE)
    await page.getByRole('link', { name: 'Guides' }).click()
    await page.getByRole('link', { name: 'Tasks' }).click()
    await page.getByRole('link', { name: 'mock server' }).click()
    await expect.poll(() => page.title()).toBe('Mock server · Plant Store')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await violations(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    }
    await page.goto(`${demo}/docs/tasks/mock.md#make-a-request-fail`)
    const heading = page.getByRole('heading', { name: 'Make a request fail' })
    await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(100)
    await page.getByRole('link', { name: 'Plant Store' }).click()
    await page.getByRole('link', { name: 'OpenAPI' }).click()
    expect(await page.locator('body').innerText()).toContain('"openapi": "3.1.0"')

    // Without it, the browser's way back would end at the Markdown.
    expect((await fetch(`${demo}/docs/index.md`)).headers.get('vary')).toBe('Accept')
    const found = new Set(['/docs/index.md', '/llms.txt'])
    for (const path of found) {
      const response = await fetch(demo + path)
      expect([path, response.status]).toEqual([path, 200])
      const text = (await response.text()).replaceAll(/```[\s\S]*?```/g, '')
      for (const [, link] of text.matchAll(/\]\(([^)#\s:]+\.md)/g)) {
        found.add(new URL(link!, demo + path).pathname)
      }
    }
    expect(found.size).toBeGreaterThan(80)
    for (const path of ['/docs/none.md', '/docs/../package.json', '/node_modules/zod/README.md']) {
      expect([path, (await fetch(demo + path)).status]).toEqual([path, 404])
    }
  })
})
