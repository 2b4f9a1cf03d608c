// The server: node server-process.ts slow:POOL:MS|postgres:URL|mysql:URL [unprotected]
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import { serve } from '../../adapters/node.ts'
import { createPlantStore } from '../../src/index.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { mysqlStorage } from '../../src/storage/mysql.ts'
import { postgresStorage } from '../../src/storage/postgres.ts'
import { answerParent } from '../shared/answer-parent.ts'

const [kind = '', unprotected] = process.argv.slice(2)
const store = createPlantStore(await createStorage(), (owner) => ({ owner }), {
  onError: () => {},
  ...(unprotected && { maxConcurrentCalls: Number.POSITIVE_INFINITY }),
})
const { port } = await serve(store, { port: 0, signals: false })
answerParent({ port: () => port })

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

/** Creates plants as a database with a pool: `pool` calls at once, each for `ms`, and a queue of its own behind them. */
function slowStorage(pool: number, ms: number): PlantStorage {
  const storage = memoryStorage()
  const queue: (() => void)[] = []
  let running = 0
  return {
    ...storage,
    maxConcurrentCalls: pool,
    async create(owner, plant) {
      if (running < pool) running++
      else await new Promise<void>((resolve) => queue.push(resolve))
      await new Promise((resolve) => setTimeout(resolve, ms))
      const next = queue.shift()
      if (next) next()
      else running--
      return storage.create(owner, plant)
    },
  }
}
