import type { Locator, Page } from 'playwright-core'

/** What a visitor does on the API page. */
export interface ApiPage {
  /** Replaces the token that the page has, if any. */
  authorize(token: string): Promise<void>
  /** Finds an operation by its id and expands it. */
  expand(operationId: string): Promise<Locator>
  /** Expands an operation, fills in its form, sends it and returns what the page shows as response. */
  execute(operationId: string, fill?: { field: string; text: string }): Promise<string>
}

/** Opens the API page of a server. */
export async function openApiPage(page: Page, origin: string): Promise<ApiPage> {
  await page.goto(`${origin}/docs`)
  await page.locator('.opblock').first().waitFor()

  async function expand(operationId: string): Promise<Locator> {
    const operation = page.locator(`#operations-plants-${operationId}`)
    await operation.locator('.opblock-summary-control').click()
    return operation
  }
  return {
    expand,
    async authorize(token) {
      await page.locator('.btn.authorize').click()
      const dialog = page.getByRole('dialog')
      const logout = dialog.getByRole('button', { name: 'Logout' })
      if (await logout.isVisible()) await logout.click()
      await dialog.getByRole('textbox').fill(token)
      await dialog.getByRole('button', { name: 'Authorize' }).click()
      await dialog.getByRole('button', { name: 'Close' }).last().click()
    },
    async execute(operationId, fill) {
      const operation = await expand(operationId)
      if (fill) await operation.locator(fill.field).fill(fill.text)
      await operation.locator('.execute').click()
      const response = operation.locator('.live-responses-table tbody')
      await response.waitFor()
      return response.innerText()
    },
  }
}
