import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { d1Migration } from '../../src/storage/d1.ts'
import { PATH } from '../runtimes/program.ts'
import { endCommand, startCommand, untilPrinted } from '../shared/command.ts'
import { send } from '../shared/server-process.ts'
import { skipBecause } from '../shared/skip.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

describe.concurrent('examples/workers', () => {
  skipBecause(process.platform === 'win32' && 'the commands are for a POSIX shell')

  it('with D1 starts with its first line, creates, lists and deletes', async () => {
    await drive('examples/workers/src/index.ts')
  })

  it('with Durable Objects starts with its first line, creates, lists and deletes', async () => {
    await drive('examples/workers/src/durable-objects.ts')
  })

  it('has the migration that d1Migration() returns', async () => {
    const sql = await readFile(`${root}examples/workers/migrations/0001_plants.sql`, 'utf8')
    expect(sql).toBe(`${d1Migration()}\n`)
  })
})

async function drive(file: string): Promise<void> {
  const state = await mkdtemp(join(tmpdir(), 'plants-worker-'))
  try {
    await whileRunning(file, state, async (url) => {
      const id = '9007199254740993'
      const fern = '{"id": -1, "name": "Fern", "tag": "indoor"}'
      for (const [status, plant] of [
        [200, `{"id": ${id}, "name": "Monstera"}`],
        [400, `{"id": ${id}, "name": "Monstera"}`],
        [200, fern],
      ] as const) {
        expect((await send(url, 's3cret', 'POST', plant)).status).toBe(status)
      }
      const plants = await (await send(url, 's3cret')).json()
      expect(plants).toEqual([{ name: 'Fern', tag: 'indoor' }, { name: 'Monstera' }])
      expect((await send(`${url}/${id}`, 's3cret', 'DELETE')).status).toBe(204)
    })
  } finally {
    // A process that ends late may still be writing.
    await rm(state, { recursive: true, maxRetries: 20 })
  }
}

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

  const wrangler = startCommand('sh', ['-c', command], root, {
    ...process.env,
    PATH,
    XDG_CONFIG_HOME: `${state}/config`,
    WRANGLER_HIDE_BANNER: 'true',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    NO_COLOR: '1',
  })
  try {
    const [url] = await untilPrinted(wrangler, /(?<=Ready on )http:\S+/)
    await use(`${url}/plants`)
  } finally {
    await endCommand(wrangler)
  }
}
