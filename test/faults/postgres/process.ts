// One of several processes on one PostgreSQL server: creates all plants, then deletes them on command.

import { Pool } from 'pg'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { reportWhatIsOurs } from '../report-ours.ts'

const [, , name, connection] = process.argv
const pool = new Pool(JSON.parse(connection!))
const storage = postgresStorage(pool)
await storage.migrate()
await reportWhatIsOurs(storage, name!)
await pool.end()
process.disconnect!()
