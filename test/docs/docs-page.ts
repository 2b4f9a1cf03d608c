import type { Browser, BrowserContextOptions } from 'playwright-core'
import { expect } from 'vitest'
import { withApiPage } from '../../adapters/cli/api-page.ts'
import { withDocuments } from '../../adapters/cli/documents.ts'
import { serve } from '../../adapters/node.ts'
import { createPlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { openApiPage } from './api-page.ts'

export type DocsPage = Awaited<ReturnType<typeof openDocs>>

/** Serves the API page of a store with the owners `demo` and `alice`, and opens it in the browser. */
export async function openDocs(browser: Browser, context: BrowserContextOptions = {}) {
  const storage = memoryStorage()
  const verify = (token: string) => (/^(demo|alice)$/.test(token) ? { owner: token } : null)
  const store = createPlantStore(storage, verify)
  const documented = withDocuments(withApiPage(store, { token: 'demo' }))
  const { url, close } = await serve(documented, { port: 0 })

  const page = await browser.newPage(context)
  const requested: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.setDefaultTimeout(20_000)
  return {
    ...(await openApiPage(page, url)),
    page,
    storage,
    /** Closes everything. Fails if the console had a warning or the page made a request elsewhere. */
    async close(): Promise<void> {
      await page.close()
      await close()
      expect(complaints).toEqual([])
      const elsewhere = requested.filter((to) => !to.startsWith(`${url}/`) && !/^data:/.test(to))
      expect(elsewhere).toEqual([])
    },
  }
}
