import type { PlantStorage } from '../../src/plant-storage.ts'
import { mapStorage } from './map-storage.ts'
import { memory } from './memory.ts'
import { importMemory, importPostgres, importSqlite } from './own.ts'
import { answerParent } from './processes.ts'

/** The process of one server: node server-process.ts <module of servers/> <storage> */
const [module, storageName] = process.argv.slice(2)

const { listen } = await import(`./servers/${module}.ts`)
const port: number = await listen(await openStorage(storageName!))

answerParent({
  port: () => port,
  cpu() {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  rss: () => process.memoryUsage.rss(),
  heap: memory.heap,
  resetPeak: memory.resetPeak,
  peak: memory.peak,
})

async function openStorage(description: string): Promise<PlantStorage | string> {
  const [kind, where = ''] = description.split(/:(.*)/s)
  switch (kind) {
    case 'map':
      return mapStorage()
    case 'memory':
      return withPlants((await importMemory()).memoryStorage(), Number(where))
    case 'sqlite':
      return (await importSqlite()).sqliteStorage(where)
    case 'postgres':
      return (await importPostgres()).postgresStorage(await pool(where))
    default:
      return where
  }
}

async function withPlants(storage: PlantStorage, count: number): Promise<PlantStorage> {
  for (let id = 1; id <= count; id++) {
    await storage.create('reader', { id: BigInt(id), name: `Plant ${id}`, tag: 'indoor' })
  }
  return storage
}

async function pool(connectionString: string) {
  const { default: pg } = await import('pg')
  return new pg.Pool({ connectionString, max: 10 })
}
