// One of several processes on one MariaDB server: creates all plants, then deletes them on command.

import { createPool } from 'mysql2/promise'
import { mysqlStorage } from '../../../src/storage/mysql.ts'
import { reportWhatIsOurs } from '../report-ours.ts'

const [, , name, connection] = process.argv
const pool = createPool(JSON.parse(connection!))
const storage = mysqlStorage(pool)
await storage.migrate()
await reportWhatIsOurs(storage, name!)
await pool.end()
process.disconnect!()
