import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import type { Locator } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useBrowser } from './browser.ts'
import { type DocsPage, openDocs } from './docs-page.ts'

const GREATEST = '9223372036854775807'

const chromium = useBrowser()
let docs: DocsPage

beforeEach(async () => {
  docs = await openDocs(chromium.browser)
})
afterEach(() => docs?.close())

describe('the API page', () => {
  it('authorizes, creates, lists and deletes, with exact ids', async () => {
    const { storage, authorize, execute } = docs
    await authorize('alice')

    const plant = `{"id": ${GREATEST}, "name": "Monstera", "tag": "indoor"}`
    expect(await execute('createPlant', { field: 'textarea', text: plant })).toMatch(/^200\b/)
    expect(storage.list('alice', { limit: 2 })).toEqual([
      { id: BigInt(GREATEST), name: 'Monstera', tag: 'indoor' },
    ])
    expect(await execute('listPlants')).toMatch(/^200\b[\s\S]*"name": "Monstera"/)
    expect(await execute('deletePlant', { field: 'input', text: GREATEST })).toMatch(/^204\b/)
    expect(storage.list('alice', { limit: 2 })).toEqual([])
  })

  it('has the demo token and an example of each request ready', async () => {
    expect(await docs.execute('createPlant')).toMatch(/^200\b/)
    // No limit and no cursor: the list is the whole list.
    expect(await docs.execute('listPlants')).toMatch(/^200\b[\s\S]*"name": "Monstera"/)
    expect(await docs.execute('deletePlant')).toMatch(/^204\b/)
  })
})

describe('the API page on a phone', () => {
  it('creates, lists and deletes by two taps each, without scrolling to the button or the response', async () => {
    await docs.close()
    const viewport = { width: 390, height: 844 }
    docs = await openDocs(chromium.browser, { viewport, isMobile: true, hasTouch: true })
    /** Whether it is on the screen, and not only on the page. */
    const isShown = (locator: Locator) =>
      expect.poll(async () => {
        const { x = -1, y = -1, width = 0, height = 0 } = (await locator.boundingBox()) ?? {}
        return x >= 0 && x + width <= 390 && y >= 0 && y + height <= 844
      })
    for (const [id, status] of [
      ['createPlant', '200'],
      ['listPlants', '200'],
      ['deletePlant', '204'],
    ]) {
      const operation = docs.page.locator(`#operations-plants-${id}`)
      await operation.locator('.opblock-summary-control').tap()
      const execute = operation.locator('.execute')
      await isShown(execute).toBe(true)
      await execute.tap()
      const shown = operation.locator('.live-responses-table .response-col_status')
      await isShown(shown.last()).toBe(true)
      expect(await shown.last().innerText()).toContain(status)
      await operation.locator('.opblock-summary-control').tap()
    }
  })
})

describe('the client', () => {
  it('works in a browser, with exact ids', async () => {
    const { page } = docs
    await page.route('**/*.ts', async (route) => {
      const path = new URL(route.request().url()).pathname
      const source = await readFile(new URL(`../..${path}`, import.meta.url), 'utf8')
      await route.fulfill({ contentType: 'text/javascript', body: stripTypeScriptTypes(source) })
    })
    // As text, since the test runner rewrites imports.
    const use = `import('/test/docs/client-in-browser.ts').then((it) => it.useClient('${GREATEST}'))`
    expect(await page.evaluate(use)).toEqual([
      { name: 'Fern' },
      { name: 'Fern' },
      { plants: [] },
      'reason',
    ])
  })
})
