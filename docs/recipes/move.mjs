import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { postgresStorage } from 'plant-store/storage/postgres'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
const target = postgresStorage(pool)
await target.migrate()

const source = new DatabaseSync('plants.db', { readOnly: true })
const select = source.prepare('SELECT owner, id, name, tag FROM plants')
select.setReadBigInts(true)
const rows = select.iterate()
async function move() {
  for (const { owner, id, name, tag } of rows) {
    const plant = { id: /** @type {bigint} */ (id), name: String(name) }
    await target.create(String(owner), tag === null ? plant : { ...plant, tag: String(tag) })
  }
}
// Ten at once, which is as many connections as the pool has.
await Promise.all(Array.from({ length: 10 }, move))
await pool.end()
