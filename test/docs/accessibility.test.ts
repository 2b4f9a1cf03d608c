import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeNightly, isNightly, itNightly } from '../shared/nightly.ts'
import { useBrowser } from './browser.ts'
import { type DocsPage, openDocs } from './docs-page.ts'
import { violations } from './violations.ts'

const PHONE = { width: 375, height: 812 }
const DESKTOP = { width: 1280, height: 900 }
const LONG_NAME = `{"id": 7, "name": "${'A plant with a long name. '.repeat(10)}"}`

const chromium = useBrowser()
let docs: DocsPage

afterEach(() => docs?.close())

describe.each(isNightly ? [PHONE, DESKTOP] : [PHONE])('the API page at $width px', (viewport) => {
  beforeEach(async () => {
    // axe adds inline styles, which the page's own policy forbids.
    docs = await openDocs(chromium.browser, { viewport, bypassCSP: true })
  })

  it('meets WCAG 2.2 AA and fits the width, with everything expanded', async () => {
    const { page, execute } = docs
    await execute('createPlant', { field: 'textarea', text: LONG_NAME })
    await execute('listPlants')
    await execute('deletePlant')
    await page.getByRole('button', { name: 'Schemas' }).click()
    for (const failure of await page.locator('.failure summary').all()) await failure.click()
    const schemas = page.locator('article:not(.json-schema-2020-12--embedded)')
    for (const schema of await schemas.all()) {
      await schema.getByRole('button', { name: 'Expand all' }).first().click()
    }
    await page.getByText('Later').first().waitFor()
    await inBothThemes(async () => {
      expect(await violations(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
    })
  })

  itNightly('meets WCAG 2.2 AA in the Authorize dialog, with and without a token', async () => {
    const { page } = docs
    await page.locator('.btn.authorize').click()
    const dialog = page.getByRole('dialog')
    const logout = dialog.getByRole('button', { name: 'Logout' })
    await logout.waitFor()
    await inBothThemes(async () => expect(await violations(page)).toEqual([]))
    await logout.click()
    await dialog.getByRole('textbox').waitFor()
    await inBothThemes(async () => expect(await violations(page)).toEqual([]))
  })
})

describeNightly('the Authorize dialog', () => {
  beforeEach(async () => {
    docs = await openDocs(chromium.browser, { viewport: DESKTOP })
    await docs.page.locator('.btn.authorize').click()
  })

  it('takes the focus, keeps it, and returns it on Escape', async () => {
    const { page } = docs
    await page.getByRole('dialog').waitFor()
    const focused = new Set<string>()
    for (let i = 0; i < 12; i++) {
      focused.add(await focusedName(page))
      await page.keyboard.press('Tab')
    }
    // Between its last and its first control, a modal dialog lets the focus go to the browser's own bar.
    focused.delete('BODY')
    expect([...focused].sort()).toEqual(['Close', 'Logout'])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await focusedName(page)).toBe('Authorize')
  })

  it('focuses the field for the token when there is none', async () => {
    const { page } = docs
    await page.getByRole('button', { name: 'Logout' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator('.btn.authorize').click()
    await page.getByRole('textbox', { name: 'Token value' }).waitFor()
    expect(await focusedName(page)).toBe('Token value')
  })
})

/** Runs checks on the open page in the light theme, and again in the dark one. */
async function inBothThemes(check: () => Promise<void>): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await docs.page.emulateMedia({ colorScheme })
    await expect.poll(shownTheme).toBe(colorScheme)
    await check()
  }
}

/** The theme that the background has. */
function shownTheme(): Promise<string> {
  return docs.page.evaluate(() => {
    const channels = getComputedStyle(document.body).backgroundColor.match(/\d+/g)!
    return Math.max(...channels.map(Number)) < 64 ? 'dark' : 'light'
  })
}

/** The accessible name of the focused control, or BODY. */
function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { ariaLabel, innerText, tagName } = document.activeElement as HTMLElement
    return tagName === 'BODY' ? tagName : ariaLabel || innerText.trim()
  })
}
