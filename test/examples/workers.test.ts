import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { d1Migration } from '../../src/storage/d1.ts'
import { PATH } from '../runtimes/program.ts'
import { endCommand, startCommand, untilPrinted } from '../shared/command.ts'
import { skipBecause } from '../shared/skip.ts'
import { checkOperations } from './check-operations.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

describe.concurrent('examples/workers', () => {
  skipBecause(process.platform === 'win32' && 'the commands are for a POSIX shell')

  it.each([
    ['D1', 'index.ts'],
    ['Durable Objects', 'durable-objects.ts'],
  ])('with %s starts with its first line, creates, lists and deletes', async (_, file) => {
    const state = await mkdtemp(join(tmpdir(), 'plants-worker-'))
    try {
      await whileRunning(`examples/workers/src/${file}`, state, (url) =>
        checkOperations(`${url}/plants`, 's3cret'),
      )
    } finally {
      // A process that ends late may still be writing.
      await rm(state, { recursive: true, maxRetries: 20 })
    }
  })

  it('has the migration that d1Migration() returns', async () => {
    const sql = await readFile(`${root}examples/workers/migrations/0001_plants.sql`, 'utf8')
    expect(sql).toBe(`${d1Migration()}\n`)
  })
})

/** Runs the command of the first line of an example, but with ports and files of its own. */
async function whileRunning(
  file: string,
  state: string,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const [firstLine] = (await readFile(root + file, 'utf8')).split('\n')
  const command = firstLine!
    .replace('// Run: ', '')
    .replaceAll(/npx wrangler [^&]+/g, (call) => `${call.trim()} --persist-to '${state}' `)
    .replace('wrangler dev', 'wrangler dev --port 0 --inspector-port 0')

  const wrangler = startCommand(['sh', '-c', command], {
    cwd: root,
    detached: true,
    env: {
      ...process.env,
      PATH,
      XDG_CONFIG_HOME: `${state}/config`,
      WRANGLER_HIDE_BANNER: 'true',
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      NO_COLOR: '1',
    },
  })
  try {
    const [url] = await untilPrinted(wrangler, /(?<=Ready on )http:\S+/)
    await use(url)
  } finally {
    await endCommand(wrangler)
  }
}
