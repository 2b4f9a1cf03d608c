import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'
import { afterAll, beforeAll, beforeEach } from 'vitest'

/**
 * Starts the Chromium that comes from npm for the tests of a file. On a machine that it doesn't run on, they
 * are skipped, and say why.
 */
export function useBrowser(): { readonly browser: Browser } {
  let started: Awaited<ReturnType<typeof startBrowser>> | undefined
  let reason: string | undefined
  beforeAll(async () => {
    try {
      started = await startBrowser()
    } catch (error) {
      reason = whyUnusable(error as Error)
      if (reason === undefined) throw error
      console.warn(`The tests in a browser are skipped: ${reason}`)
    }
  })
  beforeEach(({ skip }) => skip(reason !== undefined, reason))
  afterAll(() => started?.close())
  return {
    get browser() {
      return started!.browser
    },
  }
}

function whyUnusable({ message }: Error): string | undefined {
  if (process.platform !== 'linux') return 'The Chromium of the tests is for Linux'
  const [, library] = /error while loading shared libraries: ([^:\s]+)/.exec(message) ?? []
  return library && `Chromium needs ${library}, which this machine doesn't have`
}

/** Unpacks Chromium to a directory that `close` removes. */
async function startBrowser(): Promise<{ browser: Browser; close(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-browser-'))
  const before = process.env.TMPDIR
  process.env.TMPDIR = directory
  const close = async () => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    await rm(directory, { recursive: true })
  }
  try {
    const browser = await playwright.launch({
      executablePath: await chromium.executablePath(),
      args: [
        // The sandbox needs user namespaces, which containers lack, and it doesn't run as root.
        '--no-sandbox',
        // Neither a page nor the browser itself reaches any other host.
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      ],
    })
    return { browser, close: () => browser.close().finally(close) }
  } catch (error) {
    await close()
    throw error
  }
}
