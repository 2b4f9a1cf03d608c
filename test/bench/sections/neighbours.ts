import { setTimeout as delay } from 'node:timers/promises'
import { ask, stop } from '../../shared/processes.ts'
import { createSqlite, startPostgres } from '../databases.ts'
import { log, median, number, type Row, spread, timeOf } from '../figures.ts'
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

/** What callers who ask for much, or never finish, cost the others: time and memory. */
export async function run(): Promise<Row[]> {
  const large = await createSqlite(async (storage) => {
    const name = 'x'.repeat(LARGE_BYTES)
    for (let id = 1n; id <= LARGE; id++) await storage.create('reader', { id, name })
  })
  const many = await createSqlite((storage) => addPlants(storage, 'reader', MANY))
  log('filled SQLite')
  const rows = [
    ...(await besideLargeLists('SQLite', `sqlite:${large}`)),
    ...(await stalledLists(`sqlite:${large}`)),
    ...(await besideUnfinishedBodies()),
    ...(await besideLongLists('SQLite', `sqlite:${many}`)),
  ]
  const server = await startPostgres(false)
  try {
    const plants = (name: string, count: number) =>
      `SELECT 'reader', id, ${name} FROM generate_series(1, ${count}) AS id`
    const largeName = `repeat('x', ${LARGE_BYTES})`
    const large = await server.createDatabase('large', plants(largeName, LARGE))
    const many = await server.createDatabase('many', plants("'Monstera ' || id", MANY))
    log('filled PostgreSQL')
    rows.push(...(await besideLargeLists('PostgreSQL', `postgres:${large}`)))
    rows.push(...(await besideLongLists('PostgreSQL', `postgres:${many}`)))
  } finally {
    await server.stop()
  }
  return rows
}

/** Starts a server and clients that keep it busy, and measures what becomes of it. */
async function beside(
  storage: string,
  neighbour: 'list' | 'stall' | 'neverFinish',
  connections: number,
  measure: (server: Server, begin: () => Promise<void>) => Promise<Row[]>,
): Promise<Row[]> {
  const server = await node('plant-store', 'plant-store', storage).start()
  const clients = startScript('load', 'neighbours-process.ts')
  try {
    return await measure(server, async () => {
      await ask(clients, { what: 'begin', port: server.port, neighbour, connections })
      await delay(SETTLE_MS)
    })
  } finally {
    await Promise.all([stop(clients), server.stop()])
  }
}

function besideLargeLists(backend: string, storage: string): Promise<Row[]> {
  const work = `list of 1 beside a client that lists ${LARGE} plants of 64 KiB, ${backend}`
  return beside(storage, 'list', 1, async (server, begin) => {
    await create(server)
    await begin()
    const waits = await waitsOf(() => list(server, 1))
    return [{ ...longestWait(work, waits), note: `median ${number(median(waits))} ms` }]
  })
}

function stalledLists(storage: string): Promise<Row[]> {
  const work = `${STALLED} lists of ${LARGE} plants of 64 KiB whose clients don't read, SQLite`
  return beside(storage, 'stall', STALLED, async (...started) => {
    const value = (await growthOf(...started)) / STALLED
    return [{ work, subject: 'plant-store, memory of each', value, unit: 'MiB', atMost: 2 }]
  })
}

function besideUnfinishedBodies(): Promise<Row[]> {
  const work = `${UNFINISHED} bodies of 64 KiB that never end`
  return beside('memory:0', 'neverFinish', UNFINISHED, async (server, begin) => {
    const value = await growthOf(server, begin)
    return [
      { work, subject: 'plant-store, memory of all', value, unit: 'MiB', atMost: 128 },
      longestWait(`create beside ${work}`, await waitsOf(() => create(server))),
    ]
  })
}

function besideLongLists(backend: string, storage: string): Promise<Row[]> {
  return beside(storage, 'list', LISTS, async (server, begin) => {
    for (let id = 0; id < LISTED; id++) await create(server)
    await begin()
    const row = (operation: string, waits: number[]): Row => ({
      work: `${operation} beside ${LISTS} lists of ${MANY} plants, ${backend}`,
      subject: 'plant-store, median wait',
      ...spread(waits),
      unit: 'ms',
      atMost: 20,
      note: `longest ${number(Math.max(...waits))} ms`,
    })
    return [
      row(`list of ${LISTED}`, await waitsOf(() => list(server, LISTED))),
      row('create', await waitsOf(() => create(server))),
    ]
  })
}

function longestWait(work: string, waits: number[]): Row {
  const value = Math.max(...waits)
  return { work, subject: 'plant-store, longest wait', value, unit: 'ms', atMost: 100 }
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
  const headers = { authorization: 'Bearer token-of-a-writer', 'content-type': 'application/json' }
  const response = await fetch(`http://127.0.0.1:${port}/plants${query}`, { ...init, headers })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`Got ${response.status}: ${text}`)
}
