import assert from 'node:assert/strict'
import { startBrowser } from '../../docs/chromium.ts'

/**
 * Opens the app's page in Chromium, where the page itself drives the store by `plant-store/client`.
 *
 * @param origin the app's origin
 * @param directory where Chromium is unpacked
 */
export async function driveInBrowser(origin: string, directory: string): Promise<void> {
  const { browser, close } = await startBrowser(directory)
  try {
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    await page.goto(origin)
    const output = page.locator('output[data-state=done]')
    await output.waitFor({ state: 'attached' }).catch((cause) => {
      throw new Error(`The page did not finish: ${errors}`, { cause })
    })
    assert.deepEqual((await output.textContent())!.trim().split('\n'), [
      'duplicate_id',
      `plant ${-(2n ** 63n)}`,
      'plant 0',
      `plant ${2n ** 63n - 1n}`,
      'plant_not_found',
      'invalid_token',
    ])
  } finally {
    await close()
  }
}
