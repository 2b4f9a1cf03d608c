import pg from 'pg'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import type { PlantStore } from '../../../src/plant-store.ts'
import { createFaultyProxy } from '../../faults/proxy.ts'
import { createPostgres } from '../../src/storage/postgres-server.ts'
import { barePostgres } from '../bare-storages.ts'
import { compare, listOf, type Measured, rowOf } from '../compare.ts'
import { type Row, ratioRow, type Section, takeTurns, timeOf } from '../figures.ts'
import { mapStorage } from '../map-storage.ts'
import { importBuilt } from '../own.ts'
import { addPlants } from '../plants.ts'
import { node } from '../servers.ts'

const SIZES = [100, 500, 5_000]
const LATENCIES_MS = [1, 5, 10]

/** Lists of every size: over HTTP, and behind a network. */
export const lists: Section = {
  name: 'lists',
  about:
    'lists of 100, 500 and 5 000 plants: server CPU, calls of the storage, time behind a network',
  run: async () => [...(await overHttp()), ...(await callsOfStorage()), ...(await behindNetwork())],
}

async function overHttp(): Promise<Row[]> {
  const contestants = [
    node('floor', 'floor'),
    node('plant-store', 'plant-store'),
    node('plant-store, mounted', 'plant-store#mount'),
    node('Fastify', 'fastify'),
  ]
  const works = SIZES.map((size) => listOf(size, Math.ceil(60_000 / size)))
  const results = await compare({ contestants, works, generations: 4, rounds: 8, warmUp: 12 })
  return works.flatMap(({ name }, i) => {
    const [floor, own, mounted, fastify] = results[i] as Measured[]
    const row = (one: Measured, to: Measured) => rowOf(`${name} over HTTP`, one, to, 'cpu')
    return [
      ...[own!, mounted!].map((one) => ({ ...row(one, floor!), atMost: 1.25 })),
      ...[own!, mounted!].map((one) => ({ ...row(one, fastify!), atMost: 1 })),
    ]
  })
}

async function storeOn(storage: PlantStorage): Promise<PlantStore> {
  const { createPlantStore } = await importBuilt('src/index.ts')
  return createPlantStore(storage, () => ({ owner: 'reader' }))
}

async function listWith(store: PlantStore, query: string): Promise<void> {
  const headers = { authorization: 'Bearer t' }
  await (await store.fetch(new Request(`http://localhost/plants${query}`, { headers }))).text()
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
    await listWith(store, '')
    const row = { work: `list of ${size}`, subject: 'plant-store', unit: 'calls of the storage' }
    rows.push({ ...row, value: calls, atMost: most })
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
      const store = await storeOn(storage)
      const bare = barePostgres((statement, values) => pool.query({ ...statement, values }))
      for (const limit of [100, 500]) {
        const times = await takeTurns(
          { warmUp: 30, rounds: 60 },
          {
            own: () => timeOf(() => listWith(store, `?limit=${limit}`)),
            bare: () => timeOf(() => bare.list('reader', { limit })),
          },
        )
        const work = `list ${limit}, PostgreSQL over a link of ${latencyMs} ms`
        const row = { work, subject: 'plant-store, time', unit: '× one query', atMost: 1.3 }
        rows.push(ratioRow(row, times.own, times.bare, 'ms'))
      }
      await pool.end()
      await proxy.close()
    }
  } finally {
    await server.remove()
  }
  return rows
}
