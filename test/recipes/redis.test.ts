import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PlantStorage } from '../../src/index.ts'
import { testPlantStorage } from '../../src/testing.ts'
import { guideFiles } from '../docs/guides/guide-files.ts'
import { installedForTests } from '../runtimes/program.ts'
import { type Command, endCommand, startCommand, untilPrinted } from '../shared/command.ts'
import { freePort } from '../shared/free-port.ts'
import { skipBecause } from '../shared/skip.ts'
import { folderOfTests } from '../shared/temporary-folder.ts'

const PACKAGE = pathToFileURL(installedForTests('redis/dist/index.js')).href
const isMissing = spawnSync('redis-server', ['--version']).error !== undefined

describe('The Redis storage of the recipe', () => {
  skipBecause(isMissing && 'needs redis-server')
  const importFile = guideFiles('docs/recipes/redis.md', (code) =>
    code.replace("'redis'", `'${PACKAGE}'`),
  )
  const folder = folderOfTests()
  let server: Command
  let redisStorage: (redis: any) => PlantStorage
  let url: string
  const clients: any[] = []

  beforeAll(async () => {
    if (isMissing) return
    ;({ redisStorage } = await importFile('redis.mts'))
    const port = await freePort()
    url = `redis://127.0.0.1:${port}`
    await start(port)
  })
  afterAll(async () => {
    for (const client of clients) client.destroy()
    if (server) await endCommand(server)
  })

  async function start(port: number) {
    const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--dir', folder]
    const args = ['--port', String(port), '--bind', '127.0.0.1', ...durable]
    server = startCommand(['redis-server', ...args], { cwd: folder })
    await untilPrinted(server, /Ready to accept connections/)
  }

  async function connect() {
    const { createClient } = await import(PACKAGE)
    const client = createClient({ url, disableOfflineQueue: true })
    client.on('error', () => {})
    clients.push(client)
    return redisStorage(await client.connect())
  }

  async function open() {
    const storage = await connect()
    await clients.at(-1).flushDb()
    return storage
  }

  testPlantStorage({ describe, it }, open, {
    manyPlants: 1000,
    reopen: connect,
    openSecond: connect,
  })

  it('keeps plants through a restart of the server, and is unavailable in between', async () => {
    const storage = await open()
    await storage.create('alice', { id: -7n, name: 'Monstera' })
    await endCommand(server)
    await expect(async () => storage.list('alice', { limit: 1 })).rejects.toMatchObject({
      code: 'storage_unavailable',
    })
    await start(Number(new URL(url).port))
    const listed = () => Promise.resolve(storage.list('alice', { limit: 1 })).catch(String)
    await expect.poll(listed).toEqual([{ id: -7n, name: 'Monstera' }])
  })
})
