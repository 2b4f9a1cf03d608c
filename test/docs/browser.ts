import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { installedForTests } from '../runtimes/program.ts'

const UNPACKED = installedForTests(
  `.cache/chromium-${manifest.devDependencies['@sparticuz/chromium']}`,
)

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

/** Starts the Chromium that comes from npm. */
async function startBrowser(): Promise<Browser> {
  if (!existsSync(UNPACKED)) await unpack()
  return playwright.launch({
    executablePath: join(UNPACKED, 'chromium'),
    args: [
      // The sandbox needs user namespaces, which containers lack, and it doesn't run as root.
      '--no-sandbox',
      // Neither a page nor the browser itself reaches any other host.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
    ],
  })
}

/** Unpacks it once for all test files, of which several may come here at the same time. */
async function unpack(): Promise<void> {
  await mkdir(dirname(UNPACKED), { recursive: true })
  const directory = await mkdtemp(`${UNPACKED}-`)
  const { TMPDIR } = process.env
  process.env.TMPDIR = directory
  try {
    await chromium.executablePath()
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  }
  await rename(directory, UNPACKED).catch(() => rm(directory, { recursive: true }))
}
