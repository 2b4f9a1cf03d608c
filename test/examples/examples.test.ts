import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { d1Migration } from '../../src/storage/d1.ts'
import { PATH, ROOT, startProgram } from '../runtimes/program.ts'
import { endCommand, startCommand, untilPrinted } from '../shared/command.ts'
import { listening } from '../shared/listening.ts'
import { send } from '../shared/server-process.ts'
import { skipBecause } from '../shared/skip.ts'
import { folderOfTest, folderOfTests } from '../shared/temporary-folder.ts'

const readExample = (file: string) => readFile(join(ROOT, 'examples', file), 'utf8')

/** Creates, lists and deletes a plant over HTTP, where no other plants are. */
async function checkOperations(url: string, token: string): Promise<void> {
  const plant = { name: 'Monstera', tag: 'indoor' }
  // A double would round this id.
  const body = '{"id":9007199254740993,"name":"Monstera","tag":"indoor"}'
  const created = await send(url, token, 'POST', body)
  expect([created.status, await created.json()]).toEqual([200, plant])
  expect((await send(url, token, 'POST', body)).status).toBe(400)
  expect(await (await send(url, token)).json()).toEqual([plant])
  expect((await send(`${url}/9007199254740993`, token, 'DELETE')).status).toBe(204)
  expect(await (await send(url, token)).json()).toEqual([])
  expect((await fetch(url)).status).toBe(401)
}

describe.each([
  ['bun.ts', '/plants'],
  ['deno.ts', '/plants'],
  ['express.ts', '/api/v1/plants'],
  ['fastify.ts', '/api/v1/plants'],
  ['hono.ts', '/api/v1/plants'],
  ['node-server.ts', '/plants'],
])('examples/%s', (file, path) => {
  it('runs by the command that it gives, creates, lists and deletes', async () => {
    const env = { PORT: '0', PLANT_STORE_DB: join(folderOfTest(), 'plants.db') }
    const { url, stop } = await startProgram(await commandOf(file), env)
    onTestFinished(stop)
    await checkOperations(url + path, 'demo-token')
    for (const other of file === 'node-server.ts' ? ['/livez', '/openapi.json'] : []) {
      expect([other, (await fetch(url + other)).status]).toEqual([other, 200])
    }
  })

  it('says so where its port is taken', async () => {
    const { port } = await listening(createServer())
    const env = { PORT: String(port), PLANT_STORE_DB: ':memory:' }
    await expect(startProgram(await commandOf(file), env)).rejects.toThrow(/EADDRINUSE|AddrInUse/)
  })
})

async function commandOf(file: string): Promise<string> {
  return /^\/\/ {3}(\S.*?)(?: {2,}|$)/m.exec(await readExample(file))![1]!
}

describe.concurrent('examples/workers', () => {
  skipBecause(process.platform === 'win32' && 'the commands are for a POSIX shell')
  const folder = folderOfTests()

  it.each([
    ['D1', 'index.ts'],
    ['Durable Objects', 'durable-objects.ts'],
  ])('with %s starts with its first line, creates, lists and deletes', async (_, file) => {
    const wrangler = await startExample(file, join(folder, file))
    try {
      const [url] = await untilPrinted(wrangler, /(?<=Ready on )http:\S+/)
      await checkOperations(`${url}/plants`, 's3cret')
    } finally {
      await endCommand(wrangler)
    }
  })

  it('has the migration that d1Migration() returns', async () => {
    const sql = await readExample('workers/migrations/0001_plants.sql')
    expect(sql).toBe(`${d1Migration()}\n`)
  })
})

/** Runs the command of the first line of an example, but with ports and files of its own. */
async function startExample(file: string, state: string) {
  const [firstLine] = (await readExample(`workers/src/${file}`)).split('\n')
  const command = firstLine!
    .replace('// Run: ', '')
    .replaceAll(/npx wrangler [^&]+/g, (call) => `${call.trim()} --persist-to '${state}' `)
    .replace('wrangler dev', 'wrangler dev --port 0 --inspector-port 0')
  return startCommand(['sh', '-c', command], {
    cwd: ROOT,
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
}
