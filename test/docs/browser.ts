import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'

/** Starts a real Chromium that comes from npm. It is unpacked to a directory that goes with it. */
export async function startBrowser(): Promise<{ browser: Browser; close(): Promise<void> }> {
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
        // Containers have no user namespaces, and root has no sandbox.
        '--no-sandbox',
        // Whatever a page or the browser itself asks for elsewhere isn't there.
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      ],
    })
    return { browser, close: () => browser.close().finally(close) }
  } catch (error) {
    await close()
    throw error
  }
}
