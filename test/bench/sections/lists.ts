import pg from 'pg'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import { createFaultyProxy } from '../../faults/proxy.ts'
import { createPostgres } from '../../src/storage/postgres-server.ts'
import { barePostgres } from '../bare-storages.ts'
import { compare, listOf } from '../compare.ts'
import { type Row, ratioRow, takeTurns, timeOf } from '../figures.ts'
import { importBuilt } from '../own.ts'
import { addPlants } from '../plants.ts'
import { node } from '../servers.ts'

const SIZES = [100, 500, 5_000]
const CALLS = [
  [100, 1],
  [500, 2],
  [1_000, 3],
  [10_000, 22],
] as const
const LATENCIES_MS = [1, 5, 10]

/** Lists of every size: server CPU, calls of the storage, and the time behind a network. */
export const run = async () => [
  ...(await overHttp()),
  ...(await callsOfStorage()),
  ...(await behindNetwork()),
]

async function overHttp(): Promise<Row[]> {
  const works = SIZES.map((size) => listOf(size, Math.ceil(60_000 / size)))
  const owns = ['plant-store', 'plant-store, mounted']
  const contestants = [
    node('floor', 'floor'),
    node('plant-store', 'plant-store'),
    node('plant-store, mounted', 'plant-store#mount'),
    node('Fastify', 'fastify'),
  ]
  const kind = { where: 'over HTTP', works, generations: 4, rounds: 8, warmUp: 12 }
  const ratio = await compare({ ...kind, contestants })
  return works.flatMap((work) => [
    ...owns.map((own) => ratio(work, own, 'floor', { atMost: 1.25 })),
    ...owns.map((own) => ratio(work, own, 'Fastify', { atMost: 1 })),
  ])
}

/** A function that reads a list to its end. */
async function listerOf(storage: PlantStorage) {
  const { createPlantStore } = await importBuilt('src/index.ts')
  const store = createPlantStore(storage, () => ({ owner: 'reader' }))
  const headers = { authorization: 'Bearer t' }
  return async (query = '') =>
    (await store.fetch(new Request(`http://localhost/plants${query}`, { headers }))).text()
}

async function callsOfStorage(): Promise<Row[]> {
  const { memoryStorage } = await importBuilt('src/storage/memory.ts')
  const rows: Row[] = []
  for (const [size, atMost] of CALLS) {
    const storage = memoryStorage()
    await addPlants(storage, 'reader', size)
    let value = 0
    const list: PlantStorage['list'] = (owner, query) => {
      value++
      return storage.list(owner, query)
    }
    await (await listerOf({ ...storage, list }))()
    const row = { work: `list of ${size}`, subject: 'plant-store', unit: 'calls of the storage' }
    rows.push({ ...row, value, atMost })
  }
  return rows
}

/** Lists from PostgreSQL, against one query of the bare driver over the same link. */
async function behindNetwork(): Promise<Row[]> {
  const server = await createPostgres({ fsync: 'off' })
  const { postgresStorage } = await importBuilt('src/storage/postgres.ts')
  const rows: Row[] = []
  try {
    for (const latencyMs of LATENCIES_MS) {
      const proxy = await createFaultyProxy(server.connection.port, 'postgres', latencyMs)
      const pool = new pg.Pool({ ...server.connection, ...proxy.address, max: 1 })
      const storage = postgresStorage(pool)
      await storage.migrate()
      await addPlants(storage, 'reader', 1_000)
      const list = await listerOf(storage)
      const query = barePostgres(pool)
      for (const limit of [100, 500]) {
        const { own, bare } = await takeTurns(
          { warmUp: 30, rounds: 60 },
          {
            own: () => timeOf(() => list(`?limit=${limit}`)),
            bare: () => timeOf(() => query.list('reader', { limit })),
          },
        )
        const work = `list ${limit}, PostgreSQL over a link of ${latencyMs} ms`
        const row = { work, subject: 'plant-store, time', unit: '× one query', atMost: 1.3 }
        rows.push(ratioRow(row, [own, bare], 'ms'))
      }
      await pool.end()
      await proxy.close()
    }
  } finally {
    await server.remove()
  }
  return rows
}
