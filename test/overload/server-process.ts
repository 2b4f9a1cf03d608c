// The server: node server-process.ts slow:POOL:MS|postgres:URL|mysql:URL [unprotected]
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import { serve } from '../../adapters/node.ts'
import { createPlantStore } from '../../src/index.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { mysqlStorage } from '../../src/storage/mysql.ts'
import { postgresStorage } from '../../src/storage/postgres.ts'
import { answerParent } from '../shared/answer-parent.ts'
import { slowStorage } from './slow-storage.ts'

const [kind = '', unprotected] = process.argv.slice(2)
const storage = await createStorage()
let stored = 0
const counting: PlantStorage = {
  ...storage,
  create: async (owner, plant) => {
    const isCreated = await storage.create(owner, plant)
    stored++
    return isCreated
  },
}
const store = createPlantStore(counting, (owner) => ({ owner }), {
  onError: () => {},
  ...(unprotected && { maxConcurrentCalls: Number.POSITIVE_INFINITY }),
})
const { port } = await serve(store, { port: 0, signals: false })

answerParent({
  port: () => port,
  /** The creates that the storage has done. */
  stored: () => stored,
})

async function createStorage(): Promise<PlantStorage> {
  const [engine, where = ''] = kind.split(/:(.*)/s)
  if (engine === 'slow') {
    const [pool, ms] = where.split(':').map(Number)
    return slowStorage(pool!, ms!)
  }
  const database =
    engine === 'mysql'
      ? mysqlStorage(createPool({ uri: where, connectionLimit: 10 }))
      : postgresStorage(new pg.Pool({ connectionString: where, max: 10 }))
  await database.migrate()
  return database
}
