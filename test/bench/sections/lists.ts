import { setTimeout as delay } from 'node:timers/promises'
import { Miniflare } from 'miniflare'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import { createPlantClient } from '../../../src/client.ts'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import { type D1, d1Migration, d1Storage } from '../../../src/storage/d1.ts'
import { createFaultyProxy } from '../../faults/proxy.ts'
import { createMariadb, NO_MARIADB } from '../../src/storage/mariadb-server.ts'
import { createPostgres } from '../../src/storage/postgres-server.ts'
import { bareMysql, barePostgres } from '../bare-storages.ts'
import { compare, listOf, type Measured, rowOf } from '../compare.ts'
import { type Log, type Row, ratioRow, type Section, takeTurns, timeOf } from '../figures.ts'
import { mapStorage } from '../map-storage.ts'
import { importBuilt } from '../own.ts'
import { addPlants, incomingRequest } from '../plants.ts'
import { node } from '../servers.ts'

const SIZES = [100, 500, 5_000]
const LATENCIES_MS = [0, 1, 5]
/** The list of the client over a slow link. */
const CLIENT = { plants: 5_000, latencyMs: 20, page: 500 }

/** Lists of every size: over HTTP, behind a network, and by the client. */
export const lists: Section = {
  name: 'lists',
  about:
    'lists of 100, 500 and 5 000 plants: server CPU, calls of the storage, time behind a network',
  async run(log) {
    return [
      ...(await overHttp(log)),
      ...(await callsOfStorage()),
      ...(await behindNetwork('PostgreSQL', onPostgres, log)),
      ...(NO_MARIADB ? [] : await behindNetwork('MariaDB', onMariadb, log)),
      ...(await behindNetwork('D1', onD1, log)),
      await byClient(),
    ]
  },
}

async function overHttp(log: Log): Promise<Row[]> {
  const contestants = [
    node('floor', 'floor'),
    node('plant-store', 'plant-store'),
    node('plant-store, mounted', 'plant-store#mount'),
    node('Fastify', 'fastify'),
    node('Hono', 'hono'),
  ]
  const works = SIZES.map((size) => listOf(size, Math.ceil(60_000 / size)))
  const rounds = { generations: 4, rounds: 8, warmUp: 12 }
  const results = await compare({ contestants, works, ...rounds }, log)
  return works.flatMap(({ name }, i) => {
    const [floor, own, mounted, fastify, hono] = results[i] as Measured[]
    const row = (one: Measured, to: Measured) => rowOf(`${name} over HTTP`, one, to, 'cpu')
    return [
      ...[own!, mounted!].map((one) => ({ ...row(one, floor!), atMost: 1.25 })),
      ...[own!, mounted!].map((one) => ({ ...row(one, fastify!), atMost: 1 })),
      row(fastify!, floor!),
      row(hono!, floor!),
    ]
  })
}

async function storeOn(storage: PlantStorage) {
  const { createPlantStore } = await importBuilt('src/index.ts')
  return createPlantStore(storage, () => ({ owner: 'reader' }))
}

async function callsOfStorage(): Promise<Row[]> {
  const atMost = { 100: 1, 500: 2, 1000: 3, 10000: 22 }
  const rows: Row[] = []
  for (const [size, most] of Object.entries(atMost)) {
    const storage = mapStorage()
    await addPlants(storage, 'reader', Number(size))
    let calls = 0
    const list: PlantStorage['list'] = (owner, query) => {
      calls++
      return storage.list(owner, query)
    }
    const store = await storeOn({ ...storage, list })
    await (await store.fetch(requestOf(''))).text()
    const row = { work: `list of ${size}`, subject: 'plant-store', unit: 'calls of the storage' }
    rows.push({ ...row, value: calls, atMost: most })
  }
  return rows
}

const requestOf = (query: string) =>
  new Request(`http://localhost/plants${query}`, { headers: { authorization: 'Bearer t' } })

/** A storage behind a link, and a query of the bare driver for so many plants over the same link. */
interface Remote {
  storage: PlantStorage
  query(limit: number): unknown
  close(): Promise<unknown>
}

async function behindNetwork(
  database: string,
  open: (latencyMs: number) => Promise<Remote>,
  log: Log,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const latencyMs of LATENCIES_MS) {
    log(`${database}, ${latencyMs} ms away`)
    const { storage, query, close } = await open(latencyMs)
    try {
      const store = await storeOn(storage)
      for (const size of [100, 500]) {
        const incoming = incomingRequest('GET', `/plants?limit=${size}`)
        const { own, bare } = await takeTurns(
          { warmUp: 30, rounds: 60 },
          {
            own: () => timeOf(() => store.handle(incoming)),
            bare: () => timeOf(() => query(size)),
          },
        )
        const work = `list ${size}, ${database} over a link of ${latencyMs} ms`
        const row = { work, subject: 'plant-store, time', unit: '× one query' }
        rows.push(ratioRow({ ...row, ...(latencyMs > 0 && { atMost: 1.3 }) }, own, bare, 'ms'))
      }
    } finally {
      await close()
    }
  }
  return rows
}

async function onPostgres(latencyMs: number): Promise<Remote> {
  const server = await createPostgres({ fsync: 'off' })
  const proxy = await createFaultyProxy(server.connection.port, 'postgres', latencyMs)
  const pool = new pg.Pool({ ...server.connection, ...proxy.address, max: 1 })
  const storage = (await importBuilt('src/storage/postgres.ts')).postgresStorage(pool)
  await storage.migrate()
  await pool.query(`INSERT INTO plants (owner, id, name, tag)
    SELECT 'reader', id, 'Monstera ' || id, 'indoor' FROM generate_series(1, 1000) AS id`)
  const bare = barePostgres((statement, values) => pool.query({ ...statement, values }))
  return {
    storage,
    query: (limit) => bare.list('reader', { limit }),
    close: () => pool.end().then(() => Promise.all([proxy.close(), server.remove()])),
  }
}

async function onMariadb(latencyMs: number): Promise<Remote> {
  const server = await createMariadb()
  const proxy = await createFaultyProxy(server.connection.port, 'mysql', latencyMs)
  const pool = createPool({ ...server.connection, ...proxy.address, connectionLimit: 1 })
  const storage = (await importBuilt('src/storage/mysql.ts')).mysqlStorage(pool)
  await storage.migrate()
  await pool.query(
    `INSERT INTO plants SELECT 'reader', seq, CONCAT('Monstera ', seq), 'indoor' FROM seq_1_to_1000`,
  )
  const bare = bareMysql((sql, values) => pool.execute<any>(sql, values))
  return {
    storage,
    query: (limit) => bare.list('reader', { limit }),
    close: () => pool.end().then(() => Promise.all([proxy.close(), server.remove()])),
  }
}

/** The binding answers over HTTP; the link is a wait before each statement. */
async function onD1(latencyMs: number): Promise<Remote> {
  const script = 'export default { fetch() {} }'
  const miniflare = new Miniflare({ modules: true, script, d1Databases: ['DATABASE'] })
  const database = await miniflare.getD1Database('DATABASE')
  await database.prepare(d1Migration()).run()
  await database
    .prepare(`WITH RECURSIVE ids(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 1000)
      INSERT INTO plants SELECT 'reader', id, 'Monstera ' || id, 'indoor' FROM ids`)
    .run()
  const away: D1 = {
    prepare: (sql) => ({
      bind: (...values) => ({
        async all() {
          if (latencyMs > 0) await delay(latencyMs)
          return (await database
            .prepare(sql)
            .bind(...values)
            .all()) as never
        },
      }),
    }),
  }
  const sql = `SELECT CAST(id AS TEXT) AS id, name, tag FROM plants WHERE owner = ? ORDER BY plants.id LIMIT ?`
  return {
    storage: d1Storage(away),
    query: (limit) => away.prepare(sql).bind('reader', limit).all(),
    close: () => miniflare.dispose(),
  }
}

/** The client follows Link, a page after the other: each is a round trip. */
async function byClient(): Promise<Row> {
  const server = await node('plant-store', 'plant-store').start(0)
  const proxy = await createFaultyProxy(server.port, 'postgres', CLIENT.latencyMs)
  const baseUrl = `http://127.0.0.1:${proxy.address.port}`
  const token = 'token-of-a-reader'
  const client = createPlantClient({ baseUrl, token })
  const headers = { authorization: `Bearer ${token}` }
  const url = `${baseUrl}/plants?limit=${CLIENT.page}`
  async function all(): Promise<void> {
    for await (const _ of client.list());
  }
  async function pages(): Promise<void> {
    const count = Math.ceil((CLIENT.plants + 1) / CLIENT.page)
    for (let i = 0; i < count; i++) await (await fetch(url, { headers })).json()
  }
  try {
    const { own, bare } = await takeTurns(
      { warmUp: 2, rounds: 8 },
      { own: () => timeOf(all), bare: () => timeOf(pages) },
    )
    const work = `client.list of ${CLIENT.plants} over a link of ${CLIENT.latencyMs} ms`
    const row = { work, subject: 'the client, time', unit: '× as many bare requests', atMost: 1.3 }
    return ratioRow(row, own, bare, 'ms')
  } finally {
    await Promise.all([proxy.close(), server.stop()])
  }
}
