import type { PlantStorage } from '../../src/plant-storage.ts'
import { mapStorage } from './map-storage.ts'
import { memory } from './memory.ts'
import { importStorage } from './own.ts'
import { addPlants } from './plants.ts'
import { answerParent } from './processes.ts'

/** The process of one server: server-process.ts <module of servers/>[#mount] <storage>[:<place>] */
const [module, start = 'listen'] = process.argv[2]!.split('#')
const [storage, place = ''] = process.argv[3]!.split(/:(.*)/s)

const storages: Record<string, () => PlantStorage | Promise<PlantStorage>> = {
  map: mapStorage,
  async memory() {
    const storage = (await importStorage.memory()).memoryStorage()
    await addPlants(storage, 'reader', Number(place))
    return storage
  },
  sqlite: async () => (await importStorage.sqlite()).sqliteStorage(place),
  'bare-sqlite': async () => (await importBare()).bareSqlite(place),
  'grouped-sqlite': async () => (await importBare()).bareSqlite(place, { grouped: true }),
  postgres: async () => (await importStorage.postgres()).postgresStorage(await createPool()),
  async 'bare-postgres'() {
    const [pool, { barePostgres }] = [await createPool(), await importBare()]
    return barePostgres((statement, values) => pool.query({ ...statement, values }))
  },
}

/** Imported late, since Bun has no node:sqlite. */
const importBare = () => import('./bare-storages.ts')

async function createPool() {
  const { default: pg } = await import('pg')
  return new pg.Pool({ connectionString: place, max: 10 })
}

const port: number = await (await import(`./servers/${module}.ts`))[start](
  await storages[storage!]!(),
)

answerParent({
  port: () => port,
  resetPeak: memory.resetPeak,
  peak: memory.peak,
})
