import { setTimeout as delay } from 'node:timers/promises'
import { ask, stop } from '../../shared/processes.ts'
import { createSqlite, startPostgres } from '../databases.ts'
import { log, median, number, quantile, type Row, spread, timeOf } from '../figures.ts'
import { addPlants } from '../plants.ts'
import { NODE, startScript } from '../processes.ts'
import { on, type Server } from '../servers.ts'

const LARGE = 1_000
/** As large as a body can make them. */
const LARGE_BYTES = 16_300
/** What a client asks for, by its number of connections. The first is the same bytes streamed. */
const CONNECTIONS = [2, 5, 20]
const QUERIES = ['', '?limit=1', '?limit=16', '?limit=500']
/** As in a small container. */
const small = on(...NODE, '--max-old-space-size=256')
const MANY = 1_000_000
const STALLED = 200
const UNFINISHED = 1_000
const LISTS = 500
/** Enough that the other caller's list waits for its turn too. */
const LISTED = 100
/** How long the neighbours go on before the others are measured, and while they are. */
const SETTLE_MS = 1000
const MEASURE_MS = 4000
const LARGE_MEASURE_MS = 1500
const PAUSE_MS = 5

/** What callers who ask for much, or never finish, cost the others: time and memory. */
export async function run(): Promise<Row[]> {
  const name = 'x'.repeat(LARGE_BYTES)
  const large = await createSqlite(async (storage) => {
    for (let id = 1n; id <= LARGE; id++) await storage.create('reader', { id, name })
  })
  const mixed = await createSqlite(async (storage) => {
    for (let id = 1n; id <= LARGE; id++) {
      await storage.create('reader', { id, name: id % 200n < 110n ? 'Aloe' : name })
    }
  })
  const many = await createSqlite((storage) => addPlants(storage, 'reader', MANY))
  log('filled SQLite')
  const rows = [
    ...(await besideLargeLists('the largest plants, SQLite', `sqlite:${large}`)),
    ...(await besideLargeLists('small plants before the largest, SQLite', `sqlite:${mixed}`)),
    ...(await stalledLists(`sqlite:${large}`)),
    ...(await besideAnnouncedBodies()),
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
    rows.push(...(await besideLargeLists('the largest plants, PostgreSQL', `postgres:${large}`)))
    rows.push(...(await besideLongLists('PostgreSQL', `postgres:${many}`)))
  } finally {
    await server.stop()
  }
  return rows
}

/** Starts a server and clients that keep it busy, and measures what becomes of it. */
async function beside(
  storage: string,
  neighbour: { neighbour: string; connections: number; query?: string },
  measure: (server: Server, begin: () => Promise<void>) => Promise<Row[]>,
): Promise<Row[]> {
  const server = await small('plant-store', 'plant-store', storage).start()
  const clients = startScript('load', 'neighbours-process.ts')
  try {
    return await measure(server, async () => {
      await ask(clients, { what: 'begin', port: server.port, ...neighbour })
      await delay(SETTLE_MS)
    })
  } finally {
    await Promise.all([stop(clients), server.stop()])
  }
}

async function besideLargeLists(what: string, storage: string): Promise<Row[]> {
  const rows: Row[] = []
  for (const connections of CONNECTIONS) {
    const medians: number[] = []
    let longest = 0
    for (const query of QUERIES) {
      await beside(storage, { neighbour: 'list', connections, query }, async (server, begin) => {
        await create(server)
        await begin()
        const waits = await waitsOf(() => list(server, 1), LARGE_MEASURE_MS)
        medians.push(median(waits))
        longest = Math.max(longest, quantile(waits, 0.99))
        return []
      })
    }
    const [streamed, ...limited] = medians
    const work = `list of 1 beside ${connections} connections that list ${what}`
    const note = QUERIES.map((query, i) => `${query || 'streamed'} ${number(medians[i]!)} ms`)
    rows.push(
      { work, subject: 'plant-store, p99 of the wait', value: longest, unit: 'ms', atMost: 100 },
      {
        work,
        subject: 'plant-store, median wait with limit',
        value: Math.max(...limited) / streamed!,
        unit: '× streamed',
        atMost: 10,
        note: note.join(', '),
      },
    )
  }
  return rows
}

function stalledLists(storage: string): Promise<Row[]> {
  const work = `${STALLED} lists of ${LARGE} of the largest plants whose clients don't read, SQLite`
  const neighbour = { neighbour: 'stall', connections: STALLED }
  return beside(storage, neighbour, async (...started) => {
    const value = (await growthOf(...started)) / STALLED
    return [{ work, subject: 'plant-store, memory of each', value, unit: 'MiB', atMost: 2 }]
  })
}

async function besideAnnouncedBodies(): Promise<Row[]> {
  const rows: Row[] = []
  for (const connections of [16, UNFINISHED]) {
    const neighbour = { neighbour: 'announce', connections }
    const work = `create beside ${connections} bodies that are announced and never sent`
    rows.push(
      ...(await beside('memory:0', neighbour, async (server, begin) => {
        await begin()
        return [longestWait(work, await waitsOf(() => create(server)))]
      })),
    )
  }
  return rows
}

function besideUnfinishedBodies(): Promise<Row[]> {
  const work = `${UNFINISHED} bodies of 16 KiB that never end`
  const neighbour = { neighbour: 'neverFinish', connections: UNFINISHED }
  return beside('memory:0', neighbour, async (server, begin) => {
    const value = await growthOf(server, begin)
    return [
      { work, subject: 'plant-store, memory of all', value, unit: 'MiB', atMost: 128 },
      longestWait(`create beside ${work}`, await waitsOf(() => create(server))),
    ]
  })
}

function besideLongLists(backend: string, storage: string): Promise<Row[]> {
  return beside(storage, { neighbour: 'list', connections: LISTS }, async (server, begin) => {
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
async function waitsOf(send: () => Promise<void>, ms = MEASURE_MS): Promise<number[]> {
  const waits: number[] = []
  const end = performance.now() + ms
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
