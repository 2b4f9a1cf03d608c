import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import { createPlantStore } from '../../../src/plant-store.ts'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { compare, listOf } from '../compare.ts'
import { barePostgres } from '../database-storages.ts'
import { behindLink, plantsQuery, startPostgres } from '../databases.ts'
import { type Row, ratioInTurn, rowsOf, timeOf } from '../figures.ts'
import { filledStorage } from '../filled-storage.ts'
import {
  FASTIFY,
  FLOOR,
  forgetPeak,
  MOUNTED,
  memoryOf,
  OWN,
  ownOn,
  type Server,
  send,
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
  const ratio = await compare({ where: 'over HTTP', works, contestants })
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
  const storage = filledStorage(size)
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
  await using server = await startPostgres()
  const database = await server.createDatabase('plants', plantsQuery(1_000))
  return await rowsOf([1, 5, 10], async (latencyMs) => {
    const url = await behindLink(database, latencyMs)
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    const list = listerOf(postgresStorage(pool))
    const query = barePostgres(pool)
    const rows = await rowsOf([100, 500], (limit) => {
      const work = `list ${limit}, PostgreSQL over a link of ${latencyMs} ms`
      const row = { work, subject: 'plant-store, time', unit: '× one query', atMost: 1.3 }
      return ratioInTurn(row, 'ms', { warmUp: 30, rounds: 60 }, [
        () => timeOf(() => list(`?limit=${limit}`)),
        () => timeOf(() => query.list('reader', { limit })),
      ])
    })
    await pool.end()
    return rows
  })
}

const MILLION = 'list of 1000000 plants'

/** The list of a million plants: bounded memory, linear time, and a first byte without delay. */
export async function stream(): Promise<Row[]> {
  const start = (count: number) => ownOn(`memory:${count}`).start()
  await using ten = await start(10)
  await using tenth = await start(100_000)
  await using million = await start(1_000_000)
  const row = { work: MILLION, atMost: 1.3 }
  const first = { ...row, subject: 'time to the first byte', unit: '× of 10 plants' }
  const whole = { ...row, subject: 'time per plant', unit: '× of 100000 plants' }
  return [
    // First of all, while the server's memory has no room yet that an earlier list has left.
    await memoryRow(million),
    await ratioInTurn(first, 'ms', { warmUp: 1, rounds: 60 }, [
      () => firstByte(million),
      () => firstByte(ten),
    ]),
    await ratioInTurn(whole, 'ms per 100000', { warmUp: 1, rounds: 5 }, [
      async () => (await timeOf(() => readAll(million, 1_000_000))) / 10,
      () => timeOf(() => readAll(tenth, 100_000)),
    ]),
  ]
}

async function memoryRow(server: Server): Promise<Row> {
  const growths: number[] = []
  for (let i = 0; i < 3; i++) {
    // The room that garbage has left would hide what comes next.
    await server.ask('collectGarbage')
    forgetPeak(server)
    const before = memoryOf(server, 'now')
    await readAll(server, 1_000_000)
    growths.push(memoryOf(server, 'peak') - before)
  }
  const row = { work: MILLION, subject: 'peak memory growth', unit: 'MiB', atMost: 64 }
  return { ...row, value: Math.max(...growths), note: 'the worst of three' }
}

/** Reads the list of all plants, and checks that so many have arrived. */
async function readAll(server: Server, count: number): Promise<void> {
  let arrived = 0
  for await (const chunk of (await send(server, 'GET ')).body!) {
    arrived += Buffer.from(chunk).toString('latin1').split('{').length - 1
  }
  assert.equal(arrived, count)
}

async function firstByte(server: Server): Promise<number> {
  const begin = performance.now()
  const reader = (await send(server, 'GET ')).body!.getReader()
  await reader.read()
  const elapsed = performance.now() - begin
  await reader.cancel()
  // The server notices that its client is gone before it is asked again.
  await delay(5)
  return elapsed
}
