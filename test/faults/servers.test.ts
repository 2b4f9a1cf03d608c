import { createPool } from 'mysql2/promise'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { StorageUnavailableError } from '../../src/errors.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { mysqlStorage } from '../../src/storage/mysql.ts'
import { postgresStorage } from '../../src/storage/postgres.ts'
import type { DatabaseServer } from '../shared/daemon.ts'
import { skipBecause } from '../shared/skip.ts'
import { createMariadb, NO_MARIADB } from '../src/storage/mariadb-server.ts'
import { createPostgres } from '../src/storage/postgres-server.ts'
import { startLoad } from './load.ts'
import { createFaultyProxy, type FaultyProxy } from './proxy.ts'

/** A pool of so many connections on which the server must respond within so many ms, as the guide sets it. */
interface Way {
  connection: DatabaseServer['connection']
  size?: number
  silenceMs?: number
}

interface Engine {
  name: string
  missing?: string | false
  protocol: 'postgres' | 'mysql'
  create(): Promise<DatabaseServer>
  open(way: Way): { storage: PlantStorage & { migrate(): Promise<void> }; end(): Promise<unknown> }
  /** Breaks the connection of the next list. */
  breakList(proxy: FaultyProxy): void
}

const engines: Engine[] = [
  {
    name: 'PostgreSQL',
    protocol: 'postgres',
    create: () => createPostgres(),
    open({ connection, size = 10, silenceMs }) {
      const limit = silenceMs && { query_timeout: silenceMs }
      const pool = new Pool({ ...connection, max: size, ...limit })
      return { storage: postgresStorage(pool), end: () => pool.end() }
    },
    breakList: (proxy) => proxy.swallowReplies(1),
  },
  {
    name: 'MariaDB',
    missing: NO_MARIADB,
    protocol: 'mysql',
    create: () => createMariadb(),
    open({ connection, size = 10, silenceMs }) {
      const pool = createPool({ ...connection, connectionLimit: size })
      pool.on('connection', ({ stream }: any) => {
        const late = () => stream.destroy(new Error('MySQL did not respond in time'))
        if (silenceMs) stream.setTimeout(silenceMs, late)
      })
      return { storage: mysqlStorage(pool), end: () => pool.end() }
    },
    breakList: (proxy) => proxy.cut(),
  },
]
const fern = { id: 1n, name: 'Fern' }

describe.each(engines)('While the way to $name fails', ({ missing, protocol, ...engine }) => {
  skipBecause(missing)
  let server: DatabaseServer
  let proxy: FaultyProxy
  beforeAll(async () => {
    if (missing) return
    server = await engine.create()
    proxy = await createFaultyProxy(server.connection.port, protocol)
    const { storage, end } = engine.open({ connection: server.connection })
    await storage.migrate()
    await end()
  })
  afterAll(() => Promise.all([proxy?.close(), server?.remove()]))

  function open(way: Omit<Way, 'connection'> = {}): PlantStorage {
    const connection = { ...server.connection, ...proxy.address }
    const { storage, end } = engine.open({ connection, ...way })
    onTestFinished(async () => void (await end()))
    return storage
  }

  it('nothing is wrong under load when connections break between commit and reply', async () => {
    const load = startLoad(open())
    for (let round = 0; round < 3; round++) {
      await load.answered(300)
      proxy.swallowReplies(8)
    }
    await load.answered(300)
    const { unknown, violations } = await load.finish()
    expect(violations).toEqual([])
    expect(unknown).toBeGreaterThan(0)
  })

  it('a connection that falls silent is dropped as the guide says, and the next call gets a new one', async () => {
    const storage = open({ size: 1, silenceMs: 200 })
    await storage.list('silence', { limit: 1 })
    proxy.silence()
    await expect(storage.create('silence', fern)).rejects.toThrow(StorageUnavailableError)
    // On a busy machine, a new connection may be silent for so long too.
    const created = () => Promise.resolve(storage.create('silence', fern)).catch(String)
    await expect.poll(created).toBe(true)
  })

  it('a list whose connection breaks is sent again', async () => {
    const storage = open({ size: 1 })
    await storage.create('alice', fern)
    engine.breakList(proxy)
    expect(await storage.list('alice', { limit: 2 })).toEqual([fern])
  })
})
