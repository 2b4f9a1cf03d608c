import { setTimeout as delay } from 'node:timers/promises'
import { ask, stop } from '../../shared/processes.ts'
import { createSqlite, startPostgres } from '../databases.ts'
import {
  isQuick,
  log,
  median,
  number,
  quantile,
  type Row,
  rowsOf,
  spread,
  timeOf,
} from '../figures.ts'
import { addPlants } from '../map-storage.ts'
import type { Neighbour } from '../neighbours-process.ts'
import { NODE, startScript } from '../processes.ts'
import { type Contestant, memoryOf, on, type Server, workerd } from '../servers.ts'

const LARGE = 1_000
/** As large as a body can make them. */
const LARGE_BYTES = 16_300
const MANY = isQuick ? 10_000 : 1_000_000
/** What clients that ask for the largest plants have. The first list is the same bytes streamed. */
const CONNECTIONS = isQuick ? [2] : [2, 5, 20]
const LISTS = ['', '?limit=1', '?limit=16', '?limit=100', '?limit=512', 'HEAD ?limit=512']
/** Enough that the other caller's list waits for its turn too. */
const LISTED = 100
/** How long the neighbours go on before the others are measured, and while they are. */
const SETTLE_MS = 1000
const MEASURE_MS = isQuick ? 500 : 4000
const LARGE_MEASURE_MS = isQuick ? 200 : 1500
const PAUSE_MS = 5

/** The plant store in a small container. */
const small = on(...NODE, '--max-old-space-size=256')
const own = (storage: string) => small('plant-store', 'plant-store#serve', storage)

/** What callers who ask for much, or never finish, cost the others: time and memory. */
export async function neighbours(): Promise<Row[]> {
  const sqliteOf = async (nameOf: (id: number) => string) => {
    const file = await createSqlite(async (storage) => {
      for (let id = 1; id <= LARGE; id++) {
        await storage.create('reader', { id: BigInt(id), name: nameOf(id) })
      }
    })
    return `sqlite:${file}`
  }
  const name = 'x'.repeat(LARGE_BYTES)
  const large = await sqliteOf(() => name)
  const escaped = await sqliteOf(() => '\u0001'.repeat(LARGE_BYTES / 6))
  const cyrillic = await sqliteOf(() => 'ж'.repeat(LARGE_BYTES / 2))
  const mixed = await sqliteOf((id) => (id % 200 < 110 ? 'Aloe' : name))
  const many = `sqlite:${await createSqlite((storage) => addPlants(storage, 'reader', MANY))}`
  const postgres = await startPostgres(false)
  try {
    const postgresOf = async (name: string, count: number, value: string) => {
      const plants = `SELECT 'reader', id, ${value} FROM generate_series(1, ${count}) AS id`
      return `postgres:${await postgres.createDatabase(name, plants)}`
    }
    const largePostgres = await postgresOf('large', LARGE, `repeat('x', ${LARGE_BYTES})`)
    const manyPostgres = await postgresOf('many', MANY, "'Monstera ' || id")
    log('filled')
    return [
      ...(await besideLargeLists('the largest plants, SQLite', large)),
      ...(await besideLargeLists('the largest plants in Cyrillic, SQLite', cyrillic)),
      ...(await besideLargeLists('the largest plants in escapes, SQLite', escaped)),
      ...(await besideLargeLists('small plants before the largest, SQLite', mixed)),
      ...(await besideLargeLists('the largest plants, PostgreSQL', largePostgres)),
      ...(await besideLongLists('SQLite', many)),
      ...(await besideLongLists('PostgreSQL', manyPostgres)),
      await stalledLists(large),
      await largeListsInWorkerd(),
      ...(await rowsOf([16, 1_000], besideAnnouncedBodies)),
      ...(await besideUnfinishedBodies()),
    ]
  } finally {
    await postgres.stop()
  }
}

/** Starts a server and clients that keep it busy from `begin` on, and measures what becomes of it. */
async function beside<Result>(
  contestant: Contestant,
  neighbour: { neighbour: Neighbour; connections: number; query?: string },
  measure: (server: Server, begin: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const server = await contestant.start()
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

const besideLargeLists = (what: string, storage: string) =>
  rowsOf(CONNECTIONS, async (connections) => {
    const medians: number[] = []
    let longest = 0
    for (const asked of LISTS) {
      const [query, method] = asked.split(' ').toReversed()
      const neighbour = { neighbour: method ? 'head' : 'list', connections, query } as const
      const waits = await beside(own(storage), neighbour, async (server, begin) => {
        await create(server)
        await begin()
        return waitsOf(() => list(server, 1), LARGE_MEASURE_MS)
      })
      medians.push(median(waits))
      longest = Math.max(longest, quantile(waits, 0.99))
    }
    const [streamed, ...limited] = medians
    const work = `list of 1 beside ${connections} connections that list ${what}`
    const note = LISTS.map((asked, i) => `${asked || 'streamed'} ${number(medians[i]!)} ms`)
    return [
      { work, subject: 'plant-store, p99 of the wait', value: longest, unit: 'ms', atMost: 100 },
      {
        work,
        subject: 'plant-store, median wait with limit',
        value: Math.max(...limited) / streamed!,
        unit: '× streamed',
        atMost: 10,
        note: note.join(', '),
      },
    ]
  })

function besideLongLists(backend: string, storage: string): Promise<Row[]> {
  const neighbour = { neighbour: 'list', connections: 500 } as const
  return beside(own(storage), neighbour, async (server, begin) => {
    for (let id = 0; id < LISTED; id++) await create(server)
    await begin()
    const row = (operation: string, waits: number[]): Row => ({
      work: `${operation} beside 500 lists of ${MANY} plants, ${backend}`,
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

async function stalledLists(storage: string): Promise<Row> {
  const work = `200 lists of ${LARGE} of the largest plants whose clients don't read, SQLite`
  const growth = await beside(own(storage), { neighbour: 'stall', connections: 200 }, growthOf)
  const subject = 'plant-store, memory of each'
  return { work, subject, value: growth / 200, unit: 'MiB', atMost: 2 }
}

/** workerd enforces an isolate's limit on Cloudflare alone, so this is the memory of its whole process. */
async function largeListsInWorkerd(): Promise<Row> {
  const neighbour = { neighbour: 'list', connections: 16, query: '?limit=512' } as const
  const worker = workerd('plant-store', 'largePlants')
  const value = await beside(worker, neighbour, async (server, begin) => {
    await begin()
    await delay(MEASURE_MS)
    return memoryOf(server, 'peak')
  })
  const work = '16 lists of limit=512 of the largest plants in workerd'
  return { work, subject: 'plant-store, peak of the process', value, unit: 'MiB', atMost: 128 }
}

function besideAnnouncedBodies(connections: number): Promise<Row> {
  return beside(own('memory:0'), { neighbour: 'announce', connections }, async (server, begin) => {
    await begin()
    return longestCreate(server, `${connections} bodies that are announced and never sent`)
  })
}

function besideUnfinishedBodies(): Promise<Row[]> {
  const work = '1000 bodies of 16 KiB that never end'
  const neighbour = { neighbour: 'neverFinish', connections: 1_000 } as const
  return beside(own('memory:0'), neighbour, async (server, begin) => {
    const value = await growthOf(server, begin)
    const memory = { work, subject: 'plant-store, memory of all', value, unit: 'MiB', atMost: 128 }
    return [memory, await longestCreate(server, work)]
  })
}

async function longestCreate(server: Server, neighbours: string): Promise<Row> {
  const value = Math.max(...(await waitsOf(() => create(server))))
  const work = `create beside ${neighbours}`
  return { work, subject: 'plant-store, longest wait', value, unit: 'ms', atMost: 100 }
}

/** How much memory is held for the clients, in MiB. */
async function growthOf(server: Server, begin: () => Promise<void>): Promise<number> {
  await server.ask('collectGarbage')
  const before = memoryOf(server, 'now')
  await begin()
  await delay(MEASURE_MS)
  await server.ask('collectGarbage')
  return memoryOf(server, 'now') - before
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
