import { writeFileSync } from 'node:fs'
import { getHeapSpaceStatistics } from 'node:v8'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { answerParent } from '../shared/answer-parent.ts'
import { keepTick } from './keep-tick.ts'
import { mapStorage } from './map-storage.ts'
import { importBuilt } from './own.ts'
import { addPlants } from './plants.ts'
import type { Address } from './servers.ts'

/** The process of one server: server-process.ts <module of servers/>[#mount] <storage>:<place> */
const [module, start = 'listen'] = process.argv[2]!.split('#')
const [storage, place = ''] = process.argv[3]!.split(/:(.*)/s)

const storages: Record<string, () => Promise<PlantStorage>> = {
  /** With so many plants. */
  async map() {
    const storage = mapStorage()
    await addPlants(storage, 'reader', Number(place))
    return storage
  },
  /** 5 001 plants, and each call answered after so many ms. */
  async after() {
    const storage = mapStorage()
    await addPlants(storage, 'reader', 5001)
    const wait = () => new Promise((resolve) => setTimeout(resolve, Number(place)))
    return {
      create: (owner, plant) => wait().then(() => storage.create(owner, plant)),
      list: (owner, query) => wait().then(() => storage.list(owner, query)),
      delete: (owner, id) => wait().then(() => storage.delete(owner, id)),
    }
  },
  async memory() {
    const storage = (await importBuilt('src/storage/memory.ts')).memoryStorage()
    await addPlants(storage, 'reader', Number(place))
    return storage
  },
  sqlite: async () => (await importBuilt('src/storage/sqlite.ts')).sqliteStorage(place),
  postgres: async () =>
    (await importBuilt('src/storage/postgres.ts')).postgresStorage(await postgresPool()),
  mysql: async () => (await importBuilt('src/storage/mysql.ts')).mysqlStorage(await mysqlPool()),
  'grouped-sqlite': async () => (await importBare()).bareSqlite(place, true),
  'bare-postgres': async () => (await importBare()).barePostgres(await postgresPool()),
  'bare-mysql': async () => (await importBare()).bareMysql(await mysqlPool()),
}

/** Imported late, since Bun has no node:sqlite. */
const importBare = () => import('./bare-storages.ts')

async function postgresPool() {
  const { default: pg } = await import('pg')
  return new pg.Pool({ connectionString: place, max: 10 })
}

async function mysqlPool() {
  const { createPool } = await import('mysql2/promise')
  return createPool({ uri: place, connectionLimit: 10 })
}

keepTick()

const server = await import(`./servers/${module}.ts`)
const port: number = await server[start](await storages[storage!]!())

answerParent({
  address: (): Address => ({ port, token: server.token }),
  /** Forgets the peak of the resident memory (proc(5), clear_refs), and returns where it is now, in MiB. */
  resetPeak() {
    // The room that garbage has left would hide what comes next.
    collectGarbage()
    writeFileSync('/proc/self/clear_refs', '5')
    return process.memoryUsage.rss() / 2 ** 20
  },
  /** The most memory that was resident since, in MiB. */
  peak: () => process.resourceUsage().maxRSS / 2 ** 10,
  /** How much the old generation holds, in bytes. */
  oldGeneration: () =>
    getHeapSpaceStatistics()
      .filter(({ space_name }) => space_name.startsWith('old') || space_name.startsWith('large'))
      .reduce((sum, { space_used_size }) => sum + space_used_size, 0),
  /** The memory that is resident now, without garbage, in MiB. */
  held() {
    collectGarbage()
    return process.memoryUsage.rss() / 2 ** 20
  },
})

function collectGarbage(): void {
  globalThis.gc!({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
