import { setTimeout as delay } from 'node:timers/promises'
import { ask } from '../../shared/processes.ts'
import { createSqlite, plantsQuery, startPostgres } from '../databases.ts'
import { isQuick, median, number, quantile, type Row, rowsOf, spread, timeOf } from '../figures.ts'
import type { Neighbour } from '../neighbours-process.ts'
import { NODE, startScript } from '../processes.ts'
import { memoryOf, on, type Server, send, workerd } from '../servers.ts'

/** How many plants are listed again and again, each as large as a body can make it. */
const LARGE = 1_000
const LARGE_BYTES = 16_300
const largest = `'${'x'.repeat(LARGE_BYTES)}'`
const mixed = `CASE WHEN id % 200 < 110 THEN 'Aloe' ELSE ${largest} END`
/** The last is the SQL of a plant's name. */
const LARGE_PLANTS = [
  ['the largest plants', 'SQLite', largest],
  ['the largest plants in Cyrillic', 'SQLite', `'${'ж'.repeat(LARGE_BYTES / 2)}'`],
  ['the largest plants in escapes', 'SQLite', `'${'\u0001'.repeat(LARGE_BYTES / 6)}'`],
  ['small plants before the largest', 'SQLite', mixed],
  ['the largest plants', 'PostgreSQL', largest],
] as const
const MANY = isQuick ? 10_000 : 1_000_000
/** What clients that ask for the largest plants have. The first list is the same bytes streamed. */
const CONNECTIONS = isQuick ? [2] : [2, 5, 20]
const QUERIES = ['', '?limit=1', '?limit=16', '?limit=100', '?limit=512']
const LISTS = [...QUERIES.map((query) => `GET ${query}`), 'HEAD ?limit=512']
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
  await using postgres = await startPostgres()
  let databases = 0
  const backends = {
    SQLite: async (plants: string) => `sqlite:${await createSqlite(plants)}`,
    PostgreSQL: async (plants: string) =>
      `postgres:${await postgres.createDatabase(`plants${databases++}`, plants)}`,
  }
  return [
    ...(await rowsOf(LARGE_PLANTS, async ([what, backend, name]) =>
      besideLargeLists(`${what}, ${backend}`, await backends[backend](plantsQuery(LARGE, name))),
    )),
    ...(await rowsOf(['SQLite', 'PostgreSQL'] as const, async (backend) =>
      besideLongLists(backend, await backends[backend](plantsQuery(MANY))),
    )),
    await stalledLists(await backends.SQLite(plantsQuery(LARGE, largest))),
    await largeListsInWorkerd(),
    ...(await rowsOf(BODIES, besideBodies)),
  ]
}

/** Starts clients that keep a server busy until they are disposed of. */
async function startNeighbours(
  { port }: Server,
  neighbour: Neighbour,
  connections: number,
  asked = 'GET ',
): Promise<Disposable> {
  const clients = startScript('load', 'neighbours-process.ts')
  await ask(clients, { what: 'begin', port, neighbour, connections, asked })
  await delay(SETTLE_MS)
  return clients
}

const besideLargeLists = (what: string, storage: string) =>
  rowsOf(CONNECTIONS, async (connections) => {
    const waits: number[][] = []
    for (const asked of LISTS) {
      await using server = await own(storage).start()
      await create(server)
      using _ = await startNeighbours(server, 'list', connections, asked)
      waits.push(await waitsOf(() => list(server, 1), LARGE_MEASURE_MS))
    }
    const longest = Math.max(...waits.map((ofList) => quantile(ofList, 0.99)))
    const medians = waits.map(median)
    const [streamed, ...limited] = medians
    const work = `list of 1 beside ${connections} connections that list ${what}`
    const names = LISTS.map((asked) => asked.replace('GET ', '') || 'streamed')
    const note = names.map((name, i) => `${name} ${number(medians[i]!)} ms`)
    const ratio = Math.max(...limited) / streamed!
    return [
      rowOf(work, 'p99 of the wait', longest, 'ms', 100),
      { ...rowOf(work, 'median wait with limit', ratio, '× streamed', 10), note: note.join(', ') },
    ]
  })

async function besideLongLists(backend: string, storage: string): Promise<Row[]> {
  await using server = await own(storage).start()
  for (let id = 0; id < LISTED; id++) await create(server)
  using _ = await startNeighbours(server, 'list', 500)
  const row = (operation: string, waits: number[]): Row => {
    const work = `${operation} beside 500 lists of ${MANY} plants, ${backend}`
    const note = `longest ${number(Math.max(...waits))} ms`
    return { ...rowOf(work, 'median wait', median(waits), 'ms', 20), ...spread(waits), note }
  }
  return [
    row(`list of ${LISTED}`, await waitsOf(() => list(server, LISTED))),
    row('create', await waitsOf(() => create(server))),
  ]
}

async function stalledLists(storage: string): Promise<Row> {
  await using server = await own(storage).start()
  const before = await settledMemory(server)
  using _ = await startNeighbours(server, 'stall', 200)
  await delay(MEASURE_MS)
  const value = ((await settledMemory(server)) - before) / 200
  const work = `200 lists of ${LARGE} of the largest plants whose clients don't read, SQLite`
  return rowOf(work, 'memory of each', value, 'MiB', 2)
}

/** workerd enforces an isolate's limit on Cloudflare alone, so this is the memory of its whole process. */
async function largeListsInWorkerd(): Promise<Row> {
  await using server = await workerd('plant-store', 'largePlants').start()
  using _ = await startNeighbours(server, 'list', 16, 'GET ?limit=512')
  await delay(MEASURE_MS)
  const work = '16 lists of limit=512 of the largest plants in workerd'
  return rowOf(work, 'peak of the process', memoryOf(server, 'peak'), 'MiB', 128)
}

const BODIES = [
  ['announce', 16, 'bodies that are announced and never sent'],
  ['announce', 1_000, 'bodies that are announced and never sent'],
  ['neverFinish', 1_000, 'bodies of 16 KiB that never end'],
] as const

async function besideBodies([neighbour, connections, bodies]: (typeof BODIES)[number]) {
  await using server = await own('memory:0').start()
  const before = await settledMemory(server)
  using _ = await startNeighbours(server, neighbour, connections)
  const longest = Math.max(...(await waitsOf(() => create(server))))
  const held = (await settledMemory(server)) - before
  const work = `${connections} ${bodies}`
  const memory = rowOf(work, 'memory of all', held, 'MiB', 128)
  const wait = rowOf(`create beside ${work}`, 'longest wait', longest, 'ms', 100)
  return neighbour === 'neverFinish' ? [memory, wait] : [wait]
}

function rowOf(work: string, subject: string, value: number, unit: string, atMost: number): Row {
  return { work, subject: `plant-store, ${subject}`, value, unit, atMost }
}

/** The memory of a server without garbage, in MiB. */
async function settledMemory(server: Server): Promise<number> {
  await server.ask('collectGarbage')
  return memoryOf(server, 'now')
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

const WRITER = 'token-of-a-writer'
const list = (server: Server, limit: number) =>
  succeed(send(server, `GET ?limit=${limit}`, undefined, WRITER))

let lastId = 0
const create = (server: Server) =>
  succeed(send(server, 'POST ', `{"id":${++lastId},"name":"Fern"}`))

async function succeed(sent: Promise<Response>): Promise<void> {
  const response = await sent
  const text = await response.text()
  if (response.status !== 200) throw new Error(`Got ${response.status}: ${text}`)
}
