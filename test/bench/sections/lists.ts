import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import { createPlantStore } from '../../../src/plant-store.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { createFaultyProxy } from '../../faults/proxy.ts'
import { createPostgres } from '../../src/storage/postgres-server.ts'
import { barePostgres } from '../bare-storages.ts'
import { compare, listOf } from '../compare.ts'
import { type Row, ratioRow, rowsOf, takeTurns, timeOf } from '../figures.ts'
import { addPlants } from '../map-storage.ts'
import {
  FASTIFY,
  FLOOR,
  forgetPeak,
  MOUNTED,
  memoryOf,
  OWN,
  ownOn,
  type Server,
} from '../servers.ts'

const CALLS = [
  [100, 1],
  [500, 2],
  [1_000, 3],
  [10_000, 22],
] as const

/** Lists of every size: server CPU, calls of the storage, and the time behind a network. */
export const lists = async () => [
  ...(await overHttp()),
  ...(await rowsOf(CALLS, callsOfStorage)),
  ...(await behindNetwork()),
]

async function overHttp(): Promise<Row[]> {
  const works = [100, 500, 5_000].map((size) => listOf(size, Math.ceil(60_000 / size)))
  const owns = [OWN.name, MOUNTED.name]
  const contestants = [FLOOR, OWN, MOUNTED, FASTIFY]
  const kind = { where: 'over HTTP', works, generations: 4, rounds: 8, warmUp: 12 }
  const ratio = await compare({ ...kind, contestants })
  return works.flatMap((work) => [
    ...owns.map((own) => ratio(work, own, 'floor', { atMost: 1.25 })),
    ...owns.map((own) => ratio(work, own, 'Fastify', { atMost: 1 })),
  ])
}

/** A function that reads a list to its end. */
function listerOf(storage: PlantStorage) {
  const store = createPlantStore(storage, () => ({ owner: 'reader' }))
  const headers = { authorization: 'Bearer t' }
  return async (query = '') =>
    (await store.fetch(new Request(`http://localhost/plants${query}`, { headers }))).text()
}

async function callsOfStorage([size, atMost]: readonly [number, number]): Promise<Row> {
  const storage = memoryStorage()
  await addPlants(storage, 'reader', size)
  let value = 0
  const list: PlantStorage['list'] = (owner, query) => {
    value++
    return storage.list(owner, query)
  }
  await listerOf({ ...storage, list })()
  const row = { work: `list of ${size}`, subject: 'plant-store', unit: 'calls of the storage' }
  return { ...row, value, atMost }
}

/** Lists from PostgreSQL, against one query of the bare driver over the same link. */
async function behindNetwork(): Promise<Row[]> {
  const server = await createPostgres({ fsync: 'off' })
  try {
    return await rowsOf([1, 5, 10], async (latencyMs) => {
      const proxy = await createFaultyProxy(server.connection.port, 'postgres', latencyMs)
      const pool = new pg.Pool({ ...server.connection, ...proxy.address, max: 1 })
      const storage = postgresStorage(pool)
      await storage.migrate()
      await addPlants(storage, 'reader', 1_000)
      const list = listerOf(storage)
      const query = barePostgres(pool)
      const rows = await rowsOf([100, 500], async (limit) => {
        const { own, bare } = await takeTurns(
          { warmUp: 30, rounds: 60 },
          {
            own: () => timeOf(() => list(`?limit=${limit}`)),
            bare: () => timeOf(() => query.list('reader', { limit })),
          },
        )
        const work = `list ${limit}, PostgreSQL over a link of ${latencyMs} ms`
        const row = { work, subject: 'plant-store, time', unit: '× one query', atMost: 1.3 }
        return ratioRow(row, [own, bare], 'ms')
      })
      await pool.end()
      await proxy.close()
      return rows
    })
  } finally {
    await server.remove()
  }
}

const MILLION = 'list of 1000000 plants'

/** The list of a million plants: bounded memory, linear time, and a first byte without delay. */
export async function stream(): Promise<Row[]> {
  const start = (count: number) => ownOn(`memory:${count}`).start()
  const [ten, tenth, million] = [await start(10), await start(100_000), await start(1_000_000)]
  try {
    // First of all, while the server's memory has no room yet that an earlier list has left.
    const memory = await memoryRow(million)
    const arrived = [await count(ten), await count(tenth), await count(million)]
    if (`${arrived}` !== '10,100000,1000000') throw new Error(`${arrived} plants arrived`)
    const first = await takeTurns(
      { rounds: 60 },
      { million: () => firstByte(million), ten: () => firstByte(ten) },
    )
    const whole = await takeTurns(
      { rounds: 5 },
      {
        million: async () => (await timeOf(() => readAll(million))) / 10,
        tenth: () => timeOf(() => readAll(tenth)),
      },
    )
    const row = { work: MILLION, atMost: 1.3 }
    const firstRow = { ...row, subject: 'time to the first byte', unit: '× of 10 plants' }
    const wholeRow = { ...row, subject: 'time per plant', unit: '× of 100000 plants' }
    return [
      memory,
      ratioRow(firstRow, [first.million, first.ten], 'ms'),
      ratioRow(wholeRow, [whole.million, whole.tenth], 'ms per 100000'),
    ]
  } finally {
    await Promise.all([ten, tenth, million].map((server) => server.stop()))
  }
}

async function memoryRow(server: Server): Promise<Row> {
  const growths: number[] = []
  for (let i = 0; i < 3; i++) {
    // The room that garbage has left would hide what comes next.
    await server.ask('collectGarbage')
    forgetPeak(server)
    const before = memoryOf(server, 'now')
    await readAll(server)
    growths.push(memoryOf(server, 'peak') - before)
  }
  const row = { work: MILLION, subject: 'peak memory growth', unit: 'MiB', atMost: 64 }
  return { ...row, value: Math.max(...growths), note: 'the worst of three' }
}

function open({ port }: Server): Promise<Response> {
  const headers = { authorization: 'Bearer token-of-a-reader' }
  return fetch(`http://127.0.0.1:${port}/plants`, { headers })
}

/** Counts the plants that arrive. Warms up the server too. */
async function count(server: Server): Promise<number> {
  return (await (await open(server)).text()).match(/"name"/g)!.length
}

async function readAll(server: Server): Promise<void> {
  for await (const _ of (await open(server)).body!);
}

async function firstByte(server: Server): Promise<number> {
  const begin = performance.now()
  const reader = (await open(server)).body!.getReader()
  await reader.read()
  const elapsed = performance.now() - begin
  await reader.cancel()
  // The server notices that its client is gone before it is asked again.
  await delay(5)
  return elapsed
}
