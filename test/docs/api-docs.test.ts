import type { Locator } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { errors } from '../../src/errors.ts'
import { useBrowser } from './browser.ts'
import { type DocsPage, openDocs } from './docs-page.ts'

const GREATEST = '9223372036854775807'

const chromium = useBrowser()
let docs: DocsPage

afterEach(() => docs?.close())

describe('the API page', () => {
  it('authorizes, creates, lists and deletes, with exact ids', async () => {
    docs = await openDocs(chromium.browser)
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
})

describe('a documented failure', () => {
  it('is a line, which opens to its values and their messages', async () => {
    docs = await openDocs(chromium.browser)
    const failure = (await docs.expand('createPlant')).locator('[data-code="400"]')
    expect(await failure.innerText()).toMatch(/^400\s+malformed_json, invalid_plant, duplicate_id$/)
    await failure.locator('summary').click()
    expect(await failure.innerText()).toContain(
      `40003 duplicate_id\n${errors.duplicate_id.message}`,
    )
  })
})

describe('the API page on a phone', () => {
  it('creates, lists and deletes with the token and the examples that are ready, by two taps each, without scrolling', async () => {
    const viewport = { width: 390, height: 844 }
    docs = await openDocs(chromium.browser, { viewport, isMobile: true, hasTouch: true })
    /** Whether it is on the screen, and not only on the page. */
    const isShown = (locator: Locator) =>
      expect.poll(async () => {
        const { x = -1, y = -1, width = 0, height = 0 } = (await locator.boundingBox()) ?? {}
        return x >= 0 && x + width <= 390 && y >= 0 && y + height <= 844
      })
    for (const [id, answer] of [
      ['createPlant', /^200\b/],
      // No limit and no cursor: the list is the whole list.
      ['listPlants', /^200\b[\s\S]*"name": "Monstera"/],
      ['deletePlant', /^204\b/],
    ] as const) {
      const operation = docs.page.locator(`#operations-plants-${id}`)
      await operation.locator('.opblock-summary-control').tap()
      const execute = operation.locator('.execute')
      await isShown(execute).toBe(true)
      // Less than two screens, although it documents 12 failures.
      expect((await operation.boundingBox())!.height).toBeLessThan(2 * 844)
      await execute.tap()
      const responses = operation.locator('.live-responses-table')
      await isShown(responses.locator('.response-col_status').last()).toBe(true)
      expect(await responses.locator('tbody').innerText()).toMatch(answer)
      await operation.locator('.opblock-summary-control').tap()
    }
  })
})
