import { setTimeout as delay } from 'node:timers/promises'
import { ask, stop } from '../../shared/processes.ts'
import { createSqlite, startPostgres } from '../databases.ts'
import { median, number, type Row, type Section, spread, timeOf } from '../figures.ts'
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
    const largeFile = await createSqlite(async (storage) => {
      const name = 'x'.repeat(LARGE_BYTES)
      for (let id = 1n; id <= LARGE; id++) await storage.create('reader', { id, name })
    })
    const largeSqlite = `sqlite:${largeFile}`
    const manySqlite = `sqlite:${await createSqlite((storage) => addPlants(storage, 'reader', MANY))}`
    log('filled SQLite')
    const rows = [
      await besideLargeLists('SQLite', largeSqlite),
      await stalledLists(largeSqlite),
      ...(await besideUnfinishedBodies()),
      ...(await besideLongLists('SQLite', manySqlite)),
    ]
    const server = await startPostgres(false)
    try {
      const large = `SELECT 'reader', id, repeat('x', ${LARGE_BYTES}) FROM generate_series(1, ${LARGE}) AS id`
      const many = `SELECT 'reader', id, 'Monstera ' || id FROM generate_series(1, ${MANY}) AS id`
      const largePostgres = `postgres:${await server.createDatabase('large', large)}`
      const manyPostgres = `postgres:${await server.createDatabase('many', many)}`
      log('filled PostgreSQL')
      rows.push(await besideLargeLists('PostgreSQL', largePostgres))
      rows.push(...(await besideLongLists('PostgreSQL', manyPostgres)))
    } finally {
      await server.stop()
    }
    return rows
  },
}

/** Starts a server and clients that keep it busy, and measures what becomes of it. */
async function withNeighbours<T>(
  storage: string,
  question: { what: string; connections: number },
  measure: (server: Server, begin: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const server = await node('plant-store', 'plant-store', storage).start()
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

function besideLargeLists(backend: string, storage: string): Promise<Row> {
  return withNeighbours(storage, { what: 'list', connections: 1 }, async (server, begin) => {
    await create(server)
    await begin()
    const waits = await waitsOf(() => list(server, 1))
    return {
      work: `list of 1 beside a client that lists ${LARGE} plants of 64 KiB, ${backend}`,
      subject: 'plant-store, longest wait',
      value: Math.max(...waits),
      unit: 'ms',
      atMost: 100,
      note: `median ${number(median(waits))} ms`,
    }
  })
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

function besideUnfinishedBodies(): Promise<Row[]> {
  const question = { what: 'neverFinish', connections: UNFINISHED }
  const work = `${UNFINISHED} bodies of 64 KiB that never end`
  return withNeighbours('map', question, async (server, begin) => {
    const value = await growthOf(server, begin)
    const longest = Math.max(...(await waitsOf(() => create(server))))
    const [memory, wait] = ['plant-store, memory of all', 'plant-store, longest wait']
    return [
      { work, subject: memory, value, unit: 'MiB', atMost: 128 },
      { work: `create beside ${work}`, subject: wait, value: longest, unit: 'ms', atMost: 100 },
    ]
  })
}

function besideLongLists(backend: string, storage: string): Promise<Row[]> {
  return withNeighbours(storage, { what: 'list', connections: LISTS }, async (server, begin) => {
    for (let id = 0; id < LISTED; id++) await create(server)
    await begin()
    const lists = await waitsOf(() => list(server, LISTED))
    const creates = await waitsOf(() => create(server))
    const row = (operation: string, waits: number[]): Row => ({
      work: `${operation} beside ${LISTS} lists of ${MANY} plants, ${backend}`,
      subject: 'plant-store, median wait',
      ...spread(waits),
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

const list = (server: Server, limit: number) => send(server, `?limit=${limit}`)

let lastId = 0
const create = (server: Server) =>
  send(server, '', { method: 'POST', body: `{"id":${++lastId},"name":"Fern"}` })

async function send({ port }: Server, query: string, init: RequestInit = {}): Promise<void> {
  const headers = {
    authorization: 'Bearer token-of-a-writer',
    'content-type': 'application/json',
  }
  const response = await fetch(`http://127.0.0.1:${port}/plants${query}`, { ...init, headers })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`Got ${response.status}: ${text}`)
}
