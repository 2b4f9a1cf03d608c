import { readFileSync } from 'node:fs'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { mysqlStorage } from '../../src/storage/mysql.ts'
import { postgresStorage } from '../../src/storage/postgres.ts'
import { sqliteStorage } from '../../src/storage/sqlite.ts'
import { createMariadb } from '../src/storage/mariadb-server.ts'
import { createPostgres } from '../src/storage/postgres-server.ts'
import { newFile, tieToLoad } from './processes.ts'

/** The databases of the servers that are measured. */

/** Returns the path of a SQLite file. */
export async function createSqlite(fill: (storage: PlantStorage) => unknown): Promise<string> {
  const file = newFile('plants.db')
  await using storage = sqliteStorage(file, { synchronous: 'NORMAL' })
  await fill(storage)
  return file
}

/** A database server. */
export interface DatabaseServer {
  /** Creates a database with an empty table, or one that a query fills, and returns its URL. */
  createDatabase(name: string, plants?: string): Promise<string>
  stop(): Promise<void>
}

/** @param isApart whether it leaves the servers' core alone, as on another machine */
export async function startPostgres(isApart: boolean): Promise<DatabaseServer> {
  const { connection, remove } = await createPostgres({ fsync: 'on', shared_buffers: '128MB' })
  const main = new pg.Pool(connection)
  const { rows } = await main.query("SELECT pg_read_file('postmaster.pid') AS file")
  if (isApart) tieToLoad(Number.parseInt(rows[0].file, 10))
  return {
    async createDatabase(name, plants) {
      await main.query(`CREATE DATABASE ${name}`)
      const pool = new pg.Pool({ ...connection, database: name })
      await postgresStorage(pool).migrate()
      if (plants) await pool.query(`INSERT INTO plants (owner, id, name) ${plants}`)
      await pool.query('VACUUM ANALYZE plants')
      await pool.end()
      return `postgres://${connection.user}@${connection.host}:${connection.port}/${name}`
    },
    async stop() {
      await main.end()
      await remove()
    },
  }
}

/** MariaDB, which leaves the servers' core alone, as on another machine. */
export async function startMariadb(): Promise<DatabaseServer> {
  const { connection, run, remove } = await createMariadb({
    innodb_flush_log_at_trx_commit: '1',
    innodb_buffer_pool_size: '128M',
    max_connections: '300',
  })
  const [{ file }] = await run('SELECT @@pid_file AS file')
  tieToLoad(Number(readFileSync(file, 'utf8')))
  return {
    async createDatabase(name) {
      await run(`CREATE DATABASE ${name}`)
      const pool = createPool({ ...connection, database: name })
      await mysqlStorage(pool).migrate()
      await pool.end()
      return `mysql://${connection.user}@${connection.host}:${connection.port}/${name}`
    },
    stop: remove,
  }
}
