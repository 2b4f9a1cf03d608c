// The server: node server-process.ts slow|sqlite:FILE|postgres:URL [unprotected]
import { monitorEventLoopDelay } from 'node:perf_hooks'
import pg from 'pg'
import { serve } from '../../adapters/node.ts'
import { createPlantStore } from '../../src/index.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { postgresStorage } from '../../src/storage/postgres.ts'
import { sqliteStorage } from '../../src/storage/sqlite.ts'
import { answerParent } from '../shared/answer-parent.ts'
import { slowStorage } from './slow-storage.ts'

/** How the server was in one second. */
export interface ServerSecond {
  /** Resident memory, in MiB. */
  memory: number
  /** The longest that the event loop was blocked, in ms. */
  delay: number
}

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
const store = createPlantStore(counting, () => ({ owner: 'alice' }), {
  onError: () => {},
  ...(unprotected && { maxConcurrentCalls: Number.POSITIVE_INFINITY }),
})
const server = await serve(store, { port: 0, signals: false })

let seconds: ServerSecond[] = []
const delays = monitorEventLoopDelay({ resolution: 5 })
delays.enable()
setInterval(() => {
  seconds.push({ memory: residentMemory(), delay: delays.max / 1e6 })
  delays.reset()
}, 1000)

answerParent({
  port: () => Number(new URL(server.url).port),
  begin() {
    stored = 0
    seconds = []
  },
  end: () => ({ stored, seconds }),
})

function residentMemory(): number {
  try {
    return process.memoryUsage.rss() / 2 ** 20
  } catch {
    // It reads a file, and connections may take all descriptors.
    return Number.NaN
  }
}

async function createStorage(): Promise<PlantStorage> {
  const [engine, where = ''] = kind.split(/:(.*)/s)
  if (engine === 'slow') return slowStorage(10, 50)
  if (engine === 'sqlite') return sqliteStorage(where)
  const postgres = postgresStorage(new pg.Pool({ connectionString: where, max: 10 }))
  await postgres.migrate()
  return postgres
}
