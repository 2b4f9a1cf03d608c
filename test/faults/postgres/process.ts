// One of several processes on one PostgreSQL server: creates all plants, then deletes them on command.

import { once } from 'node:events'
import { Pool } from 'pg'
import { postgresStorage } from '../../../src/storage/postgres.ts'

const [, , name, connection] = process.argv
const pool = new Pool(JSON.parse(connection!))
const storage = postgresStorage(pool)
await storage.migrate()

const ids = Array.from({ length: 200 }, (_, id) => BigInt(id))
process.send!(await idsWhere((id) => storage.create('alice', { id, name: `of ${name}` })))
await once(process, 'message')
process.send!(await idsWhere((id) => storage.delete('alice', id)))
await pool.end()
process.disconnect!()

async function idsWhere(call: (id: bigint) => unknown): Promise<string[]> {
  const answers = await Promise.all(ids.map(call))
  return ids.filter((_, index) => answers[index]).map(String)
}
