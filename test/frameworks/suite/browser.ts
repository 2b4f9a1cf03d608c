import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { startBrowser } from '../../docs/chromium.ts'

/**
 * Opens a page of the app in Chromium, and drives the store there.
 *
 * @param origin the app's origin
 */
export async function driveInBrowser(origin: string): Promise<void> {
  const browser = await startBrowser()
  try {
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    await driveByClientOfPage(page, origin).catch((cause) => {
      throw new Error(`The page failed: ${errors}`, { cause })
    })
    assert.deepEqual(errors, [])
  } finally {
    await browser.close()
  }
}

/** The page itself drives the store, by `plant-store/client`. */
async function driveByClientOfPage(page: Page, origin: string): Promise<void> {
  await page.goto(origin)
  const output = page.locator('output[data-state=done]')
  await output.waitFor({ state: 'attached' })
  assert.deepEqual((await output.textContent())!.trim().split('\n'), [
    'duplicate_id',
    `plant ${-(2n ** 63n)}`,
    'plant 0',
    `plant ${2n ** 63n - 1n}`,
    'plant_not_found',
    'invalid_token',
  ])
}
