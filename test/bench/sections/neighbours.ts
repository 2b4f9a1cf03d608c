import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { ask, stop } from '../../shared/processes.ts'
import { createPostgres } from '../../src/storage/postgres-server.ts'
import { dataDirectory } from '../data-directory.ts'
import { median, number, quantile, type Row, type Section, timeOf } from '../figures.ts'
import { importBuilt } from '../own.ts'
import { addPlants } from '../plants.ts'
import { startScript } from '../processes.ts'
import { node, type Server } from '../servers.ts'

const LARGE = 1_000
/** As large as a body can make them. */
const LARGE_BYTES = 65_000
const MANY = 1_000_000
const STALLED = 200
const UNFINISHED = 1_000
const LISTS = 500
/** Enough that the other caller's list waits for its turn too. */
const LISTED = 100
/** How long the neighbours go on before the others are measured, and while they are. */
const SETTLE_MS = 2000
const MEASURE_MS = 4000
const PAUSE_MS = 5

/** What callers who ask for much, or never finish, cost the others. */
export const neighbours: Section = {
  name: 'neighbours',
  about: 'beside large plants, slow readers, unfinished bodies and 500 long lists: time and memory',
  async run(log) {
    const directory = await dataDirectory()
    const [large, many] = [join(directory, 'large.db'), join(directory, 'many.db')]
    const { sqliteStorage } = await importBuilt('src/storage/sqlite.ts')
    const largePlants = sqliteStorage(large, { synchronous: 'NORMAL' })
    const name = 'x'.repeat(LARGE_BYTES)
    for (let id = 1n; id <= LARGE; id++) await largePlants.create('reader', { id, name })
    await largePlants.close()
    const manyPlants = sqliteStorage(many, { synchronous: 'NORMAL' })
    await addPlants(manyPlants, 'reader', MANY)
    await manyPlants.close()
    log('filled SQLite')

    const rows = [
      ...(await besideLargeLists('SQLite', `sqlite:${large}`)),
      await stalledLists(`sqlite:${large}`),
      ...(await besideUnfinishedBodies()),
      ...(await besideLongLists('SQLite', `sqlite:${many}`)),
    ]
    const server = await createPostgres({ fsync: 'off', shared_buffers: '128MB' })
    const { host, port, user } = server.connection
    const databaseOf = async (database: string, plants: string) => {
      const main = new pg.Pool(server.connection)
      await main.query(`CREATE DATABASE ${database}`)
      await main.end()
      const pool = new pg.Pool({ ...server.connection, database })
      await (await importBuilt('src/storage/postgres.ts')).postgresStorage(pool).migrate()
      await pool.query(`INSERT INTO plants (owner, id, name) ${plants}`)
      await pool.query('VACUUM ANALYZE plants')
      await pool.end()
      return `postgres:postgres://${user}@${host}:${port}/${database}`
    }
    const series = (count: number) => `FROM generate_series(1, ${count}) AS id`
    try {
      const largeText = `SELECT 'reader', id, repeat('x', ${LARGE_BYTES}) ${series(LARGE)}`
      const onLarge = await databaseOf('large', largeText)
      const onMany = await databaseOf(
        'many',
        `SELECT 'reader', id, 'Monstera ' || id ${series(MANY)}`,
      )
      log('filled PostgreSQL')
      rows.push(...(await besideLargeLists('PostgreSQL', onLarge)))
      rows.push(...(await besideLongLists('PostgreSQL', onMany)))
    } finally {
      await server.remove()
    }
    return rows
  },
}

/** Starts a server and clients that keep it busy, and measures what becomes of it. */
async function withNeighbours<T>(
  storage: string,
  question: object,
  measure: (server: Server, begin: () => Promise<void>) => Promise<T>,
  module = 'plant-store',
): Promise<T> {
  const server = await node(module, module, storage).start(0)
  const clients = startScript('load', 'neighbours-process.ts')
  try {
    return await measure(server, async () => {
      await ask(clients, { ...question, port: server.port })
      await delay(SETTLE_MS)
    })
  } finally {
    await Promise.all([stop(clients), server.stop()])
  }
}

async function besideLargeLists(backend: string, storage: string): Promise<Row[]> {
  let id = 0
  const longestWait = async (clients: string, question: object): Promise<Row> => {
    const waits = await withNeighbours(storage, question, async (server, begin) => {
      await create(server, ++id)
      await begin()
      return waitsOf(() => list(server, 1))
    })
    return {
      work: `list of 1 beside ${clients} of ${LARGE} plants of 64 KiB, ${backend}`,
      subject: 'plant-store, longest wait',
      value: Math.max(...waits),
      unit: 'ms',
      note: `median ${number(median(waits))} ms`,
    }
  }
  const all = await longestWait('a client that lists all', { what: 'list', connections: 1 })
  const first = { what: 'list', connections: 32, limit: 500 }
  return [{ ...all, atMost: 100 }, await longestWait('32 that list with limit=500,', first)]
}

async function stalledLists(storage: string): Promise<Row> {
  const question = { what: 'stall', connections: STALLED }
  const growth = await withNeighbours(storage, question, growthOf)
  return {
    work: `${STALLED} lists of ${LARGE} plants of 64 KiB whose clients don't read, SQLite`,
    subject: 'plant-store, memory of each',
    value: growth / STALLED,
    unit: 'MiB',
    atMost: 2,
  }
}

async function besideUnfinishedBodies(): Promise<Row[]> {
  const question = { what: 'neverFinish', connections: UNFINISHED }
  const work = `${UNFINISHED} bodies of 64 KiB that never end`
  const ofBare = await withNeighbours('map', question, growthOf, 'floor#dropping')
  return withNeighbours('map', question, async (server, begin) => {
    const growth = await growthOf(server, begin)
    let id = 0
    const waits = await waitsOf(() => create(server, ++id))
    return [
      { work, subject: 'plant-store, memory of all', value: growth, unit: 'MiB', atMost: 128 },
      { work, subject: 'bare server that drops them, memory of all', value: ofBare, unit: 'MiB' },
      {
        work: `create beside ${work}`,
        subject: 'plant-store, longest wait',
        value: Math.max(...waits),
        unit: 'ms',
        atMost: 100,
      },
    ]
  })
}

async function besideLongLists(backend: string, storage: string): Promise<Row[]> {
  const question = { what: 'list', connections: LISTS }
  return withNeighbours(storage, question, async (server, begin) => {
    let id = 0
    while (id < LISTED) await create(server, ++id)
    await begin()
    const lists = await waitsOf(() => list(server, LISTED))
    const creates = await waitsOf(() => create(server, ++id))
    const row = (operation: string, waits: number[]): Row => ({
      work: `${operation} beside ${LISTS} lists of ${MANY} plants, ${backend}`,
      subject: 'plant-store, median wait',
      value: median(waits),
      low: quantile(waits, 0.25),
      high: quantile(waits, 0.75),
      unit: 'ms',
      atMost: 20,
      note: `longest ${number(Math.max(...waits))} ms`,
    })
    return [row(`list of ${LISTED}`, lists), row('create', creates)]
  })
}

/** How much memory is held for the clients, in MiB. */
async function growthOf(server: Server, begin: () => Promise<void>): Promise<number> {
  const before = await server.ask<number>('held')
  await begin()
  await delay(MEASURE_MS)
  return (await server.ask<number>('held')) - before
}

/** How long each request of another caller takes, in ms. */
async function waitsOf(send: () => Promise<void>): Promise<number[]> {
  const waits: number[] = []
  const end = performance.now() + MEASURE_MS
  while (performance.now() < end) {
    waits.push(await timeOf(send))
    await delay(PAUSE_MS)
  }
  return waits
}

const agent = new Agent({ keepAlive: true })

const list = (server: Server, limit: number) => send(server, 'GET', `/plants?limit=${limit}`)
const create = (server: Server, id: number) =>
  send(server, 'POST', '/plants', `{"id":${id},"name":"Fern"}`)

function send({ port }: Server, method: string, path: string, body = ''): Promise<void> {
  const headers = {
    authorization: 'Bearer token-of-a-writer',
    'content-type': 'application/json',
    'content-length': body.length,
  }
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', method, path, headers, agent }, (response) => {
      const { statusCode } = response.resume().on('end', resolve)
      if (statusCode !== 200) reject(new Error(`${method} ${path}: ${statusCode}`))
    })
    sent.on('error', reject).end(body)
  })
}
