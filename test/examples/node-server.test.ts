import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, it } from 'vitest'

const EXAMPLE = new URL('../../examples/node-server.ts', import.meta.url).pathname
const directory = mkdtempSync(join(tmpdir(), 'plant-store-example-'))
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(directory, { recursive: true })
})

interface Running {
  url: string
  /** What it prints until it says how to call it. */
  introduction: string[]
  nextLine(): Promise<string>
  stop(): Promise<unknown[]>
}

function run(env: Record<string, string>) {
  const child = spawn(process.execPath, [EXAMPLE], {
    cwd: directory,
    // Node 22 warns of its SQLite.
    env: { PATH: process.env.PATH, NODE_NO_WARNINGS: '1', PORT: '0', ...env },
  })
  children.push(child)
  return child
}

async function start(env: Record<string, string> = {}): Promise<Running> {
  const child = run(env)
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  const nextLine = async () => (await lines.next()).value as string
  const introduction = []
  while (!introduction.at(-1)?.startsWith('Try: ')) introduction.push(await nextLine())
  const url = /^Plant store listening on (http:\/\/\S+)$/.exec(introduction[0]!)![1]!
  const exit = once(child, 'exit')
  return {
    url,
    introduction,
    nextLine,
    stop() {
      child.kill('SIGTERM')
      return exit
    },
  }
}

async function failure(env: Record<string, string>) {
  const child = run(env)
  let output = ''
  child.stdout!.on('data', (text) => {
    output += text
  })
  child.stderr!.on('data', (text) => {
    output += text
  })
  const [code] = await once(child, 'close')
  return { code, lines: output.trimEnd().split('\n') }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const create = (url: string, token: string) =>
  fetch(`${url}/plants`, {
    method: 'POST',
    headers: { ...bearer(token), 'content-type': 'application/json' },
    body: '{"id":7,"name":"Monstera","tag":"indoor"}',
  })

describe('npm start without settings', () => {
  it('serves on loopback, says how to call it, logs what comes, and keeps the plants', async () => {
    const first = await start()
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(first.introduction).toContain(`Storage: ${join(directory, 'plants.db')}`)
    expect(first.introduction).toContain(
      `Try: curl -H 'Authorization: Bearer demo-token' ${first.url}/plants`,
    )

    expect((await create(first.url, 'demo-token')).status).toBe(200)
    expect(await first.nextLine()).toMatch(/^POST \/plants 200 \d+\.\d ms$/)
    expect((await create(first.url, 'wrong-token')).status).toBe(401)
    expect(await first.nextLine()).toMatch(/^POST \/plants 401 \d+\.\d ms$/)
    await fetch(`${first.url}/nowhere?token=s3cret`)
    expect(await first.nextLine()).toMatch(/^GET \/nowhere 404 \d+\.\d ms$/)
    expect(await first.stop()).toEqual([0, null])

    const second = await start()
    const response = await fetch(`${second.url}/plants`, { headers: bearer('demo-token') })
    expect(await response.json()).toEqual([{ name: 'Monstera', tag: 'indoor' }])
    expect(await second.stop()).toEqual([0, null])
  })

  it('prints a line that a shell can run', async () => {
    const { introduction, stop } = await start({ PLANT_STORE_DB: ':memory:' })
    const command = introduction.at(-1)!.replace('Try: curl', 'exec curl -s')
    if (existsSync('/usr/bin/curl')) {
      expect(execFileSync('sh', ['-c', command], { encoding: 'utf8' })).toBe('[]')
    }
    await stop()
  })
})

it('tokens open their owners’ plants, and are not printed', async () => {
  const { url, introduction, nextLine, stop } = await start({
    PLANT_STORE_DB: ':memory:',
    PLANT_STORE_TOKENS: 'a1=alice, YjI==bob,a2=alice',
    HOST: '0.0.0.0',
  })
  const local = url.replace('0.0.0.0', '127.0.0.1')
  const lines = [...introduction]
  expect((await create(local, 'a1')).status).toBe(200)
  const list = async (token: string) =>
    (await fetch(`${local}/plants`, { headers: bearer(token) })).json()
  expect(await list('a2')).toHaveLength(1)
  expect(await list('YjI=')).toHaveLength(0)
  expect(await list('demo-token')).toMatchObject({ error: 40102 })
  for (let i = 0; i < 4; i++) lines.push(await nextLine())
  expect(lines.join('\n')).not.toMatch(/a1|a2|YjI|demo-token/)
  await stop()
})

describe.concurrent('a wrong setting is one line and exit code 1', () => {
  const foreign = join(directory, 'foreign.db')
  writeFileSync(foreign, 'not a database')

  it.each([
    ['PORT', { PORT: 'http' }, 'PORT must be a whole number from 0 to 65535, not "http"'],
    ['PORT', { PORT: '65536' }, 'PORT must be'],
    ['PORT', { PORT: '-1' }, 'PORT must be'],
    ['HOST', { HOST: '0.0.0.0' }, 'set PLANT_STORE_TOKENS=token=owner'],
    ['HOST', { HOST: '::' }, 'set PLANT_STORE_TOKENS=token=owner'],
    ['HOST', { HOST: '192.0.2.1', PLANT_STORE_TOKENS: 'a=b' }, '192.0.2.1'],
    ['PLANT_STORE_DB', { PLANT_STORE_DB: foreign }, foreign],
    ['PLANT_STORE_DB', { PLANT_STORE_DB: directory }, directory],
    ['PLANT_STORE_DB', { PLANT_STORE_DB: '/no/such/directory/plants.db' }, '/no/such/directory'],
    ['PLANT_STORE_TOKENS', { PLANT_STORE_TOKENS: 's3cret' }, "entry 1 isn't"],
    ['PLANT_STORE_TOKENS', { PLANT_STORE_TOKENS: 's3cret=alice,=bob' }, "entry 2 isn't"],
    ['PLANT_STORE_TOKENS', { PLANT_STORE_TOKENS: 's3 cret=alice' }, "entry 1 isn't"],
    ['PLANT_STORE_TOKENS', { PLANT_STORE_TOKENS: 's3cret=alice,s3cret=bob' }, 'one token twice'],
  ])('%s: %o', async (_, env, message) => {
    const { code, lines } = await failure({ PLANT_STORE_DB: ':memory:', ...env })
    expect(lines).toEqual([expect.stringContaining(message)])
    expect(lines[0]).not.toContain('s3')
    expect(code).toBe(1)
  })

  it('PORT that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { code, lines } = await failure({ PORT: String(port), PLANT_STORE_DB: ':memory:' })
    expect(lines).toEqual([expect.stringMatching(`EADDRINUSE.*:${port}$`)])
    expect(code).toBe(1)
    other.close()
  })
})
