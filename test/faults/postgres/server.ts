// A server to be ended: node server.ts CONNECTION CLOSES. Without CLOSES, the store leaves the pool open.
import { Pool } from 'pg'
import { serve } from '../../../adapters/node.ts'
import { createPlantStore } from '../../../src/index.ts'
import { postgresStorage } from '../../../src/storage/postgres.ts'

const [connection = '', closes] = process.argv.slice(2)
const pool = new Pool({
  ...JSON.parse(connection),
  // Longer than any test may take.
  statement_timeout: 600_000,
  query_timeout: 600_000,
  allowExitOnIdle: true,
})
const storage = postgresStorage(pool)
await storage.migrate()
const store = createPlantStore(
  closes ? { ...storage, close: () => pool.end() } : storage,
  () => ({ owner: 'alice' }),
  { timeoutMs: 600_000 },
)
const { url } = await serve(store, { port: 0, graceMs: 1000 })
console.log(url)
