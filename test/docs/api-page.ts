import type { Locator, Page } from 'playwright-core'

/** Opens the API page of a server, and returns what a visitor does there. */
export async function openApiPage(page: Page, origin: string) {
  await page.goto(`${origin}/docs`)
  await page.locator('.opblock').first().waitFor()

  /** Finds an operation by its id and expands it. */
  async function expand(operationId: string): Promise<Locator> {
    const operation = page.locator(`#operations-plants-${operationId}`)
    await operation.locator('.opblock-summary-control').click()
    return operation
  }
  return {
    expand,
    /** Replaces the token that the page has, if any. */
    async authorize(token: string): Promise<void> {
      await page.locator('.btn.authorize').click()
      const dialog = page.getByRole('dialog')
      const logout = dialog.getByRole('button', { name: 'Logout' })
      if (await logout.isVisible()) await logout.click()
      await dialog.getByRole('textbox').fill(token)
      await dialog.getByRole('button', { name: 'Authorize' }).click()
      await dialog.getByRole('button', { name: 'Close' }).last().click()
    },
    /** Expands an operation, fills in its form, sends it and returns what the page shows as response. */
    async execute(operationId: string, fill?: { field: string; text: string }): Promise<string> {
      const operation = await expand(operationId)
      if (fill) await operation.locator(fill.field).fill(fill.text)
      await operation.locator('.execute').click()
      const response = operation.locator('.live-responses-table tbody')
      await response.waitFor()
      return response.innerText()
    },
  }
}
