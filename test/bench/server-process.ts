import { readFileSync, writeFileSync } from 'node:fs'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { answerParent } from '../shared/answer-parent.ts'
import { keepTick } from './keep-tick.ts'
import { mapStorage } from './map-storage.ts'
import { importBuilt } from './own.ts'
import { addPlants } from './plants.ts'
import type { Address } from './servers.ts'

/** The process of one server: server-process.ts <module of servers/>[#mount] <storage>[:<place>] */
const [module, start = 'listen'] = process.argv[2]!.split('#')
const [storage, place = ''] = process.argv[3]!.split(/:(.*)/s)

/** A list of 5 000 leaves one. */
const PLANTS = 5_001

const storages: Record<string, () => PlantStorage | Promise<PlantStorage>> = {
  async map() {
    const storage = mapStorage()
    await addPlants(storage, 'reader', PLANTS)
    return storage
  },
  async memory() {
    const storage = (await importBuilt('src/storage/memory.ts')).memoryStorage()
    await addPlants(storage, 'reader', Number(place))
    return storage
  },
  sqlite: async () => (await importBuilt('src/storage/sqlite.ts')).sqliteStorage(place),
  'grouped-sqlite': async () => (await importBare()).bareSqlite(place, true),
  postgres: async () =>
    (await importBuilt('src/storage/postgres.ts')).postgresStorage(await createPool()),
  async 'bare-postgres'() {
    const [pool, { barePostgres }] = [await createPool(), await importBare()]
    return barePostgres((statement, values) => pool.query({ ...statement, values }))
  },
  mysql: async () =>
    (await importBuilt('src/storage/mysql.ts')).mysqlStorage(await createMysqlPool()),
  async 'bare-mysql'() {
    const [pool, { bareMysql }] = [await createMysqlPool(), await importBare()]
    return bareMysql((sql, values) => pool.execute<any>(sql, values))
  },
}

/** Imported late, since Bun has no node:sqlite. */
const importBare = () => import('./bare-storages.ts')

async function createPool() {
  const { default: pg } = await import('pg')
  return new pg.Pool({ connectionString: place, max: 10 })
}

async function createMysqlPool() {
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
    return statusOf('VmHWM')
  },
  /** The most memory that was resident since, in MiB. */
  peak: () => statusOf('VmHWM'),
  /** The memory that is resident now, without garbage, in MiB. */
  held() {
    collectGarbage()
    return statusOf('VmRSS')
  },
})

function collectGarbage(): void {
  globalThis.gc!({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

function statusOf(field: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync('/proc/self/status', 'utf8')
  return Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(status)![1]) / 1024
}
