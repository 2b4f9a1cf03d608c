import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'

/** Starts the Chromium that comes from npm, unpacked to a directory in `parent` that `close` removes. */
export async function startBrowser(
  parent = tmpdir(),
): Promise<{ browser: Browser; close(): Promise<void> }> {
  const directory = await mkdtemp(join(parent, 'plant-store-browser-'))
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
