import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { openApiPage } from '../../docs/api-page.ts'
import { startBrowser } from '../../docs/chromium.ts'
import type { App } from '../apps.ts'
import { TOKEN } from './api.ts'

/**
 * Opens a page of the app in Chromium, and drives the store there.
 *
 * @param origin the app's origin
 */
export async function driveInBrowser(
  kind: NonNullable<App['page']>,
  origin: string,
): Promise<void> {
  const browser = await startBrowser()
  try {
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    await drivers[kind](page, origin).catch((cause) => {
      throw new Error(`The page failed: ${errors}`, { cause })
    })
    assert.deepEqual(errors, [])
  } finally {
    await browser.close()
  }
}

const drivers = { client: driveByClientOfPage, 'api-page': driveApiPage }

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

/** Does what a visitor of `/docs` does. */
async function driveApiPage(page: Page, origin: string): Promise<void> {
  const { authorize, execute } = await openApiPage(page, origin)
  await authorize(TOKEN)
  assert.match(await execute('createPlant'), /^200\b/)
  assert.match(await execute('listPlants'), /^200\b[\s\S]*"name": "Monstera"/)
  assert.match(await execute('deletePlant'), /^204\b/)
}
