import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { startBrowser } from './chromium.ts'

/**
 * Starts the Chromium that comes from npm for the tests of a file. On a machine that it doesn't run on, they
 * are skipped, and say why.
 */
export function useBrowser(): { readonly browser: Browser } {
  let browser: Browser | undefined
  let reason: string | undefined
  beforeAll(async () => {
    try {
      browser = await startBrowser()
    } catch (error) {
      reason = whyUnusable(error as Error)
      if (reason === undefined) throw error
    }
  })
  beforeEach(({ skip }) => skip(reason !== undefined, reason))
  afterAll(() => browser?.close())
  return {
    get browser() {
      return browser!
    },
  }
}

function whyUnusable({ message }: Error): string | undefined {
  if (process.platform !== 'linux') return 'The Chromium of the tests is for Linux'
  const [, library] = /error while loading shared libraries: ([^:\s]+)/.exec(message) ?? []
  return library && `Chromium needs ${library}, which this machine doesn't have`
}
