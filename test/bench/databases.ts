import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import { mysqlStorage } from '../../src/storage/mysql.ts'
import { postgresStorage } from '../../src/storage/postgres.ts'
import { sqliteStorage } from '../../src/storage/sqlite.ts'
import { createFaultyProxy } from '../faults/proxy.ts'
import { createMariadb } from '../src/storage/mariadb-server.ts'
import { createPostgres } from '../src/storage/postgres-server.ts'
import { newFile, tieToLoad } from './processes.ts'

/** The databases of the servers that are measured. */

/** A query of plants of the reader, with the ids from 1. SQLite and PostgreSQL understand it. */
export const plantsQuery = (count: number, name = "'Monstera ' || id") =>
  `WITH RECURSIVE ids(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ${count})
   SELECT 'reader', id, ${name} FROM ids`

const fill = (plants: string) => `INSERT INTO plants (owner, id, name) ${plants}`

/** Creates a SQLite file with an empty table, or one that a query fills, and returns its path. */
export async function createSqlite(plants?: string): Promise<string> {
  const file = newFile('plants.db')
  await sqliteStorage(file).close()
  if (plants) {
    using database = new DatabaseSync(file)
    database.exec(fill(plants))
  }
  return file
}

/** A database server, which leaves the servers' core alone, as on another machine. */
export interface DatabaseServer extends AsyncDisposable {
  /** Creates a database with an empty table, or one that a query fills, and returns its URL. */
  createDatabase(name: string, plants?: string): Promise<string>
}

export async function startPostgres(): Promise<DatabaseServer> {
  const settings = { fsync: 'on', shared_buffers: '128MB' }
  const { connection, run, remove } = await createPostgres(settings)
  const [{ file }] = await run("SELECT pg_read_file('postmaster.pid') AS file")
  tieToLoad(Number.parseInt(file, 10))
  return {
    async createDatabase(name, plants) {
      await run(`CREATE DATABASE ${name}`)
      const pool = new pg.Pool({ ...connection, database: name })
      await postgresStorage(pool).migrate()
      if (plants) await pool.query(fill(plants))
      await pool.query('VACUUM ANALYZE plants')
      await pool.end()
      return `postgres://${connection.user}@${connection.host}:${connection.port}/${name}`
    },
    [Symbol.asyncDispose]: remove,
  }
}

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
    [Symbol.asyncDispose]: remove,
  }
}

/** Returns the URL of a database behind a link that delays each statement. The link ends with this process. */
export async function behindLink(database: string, latencyMs: number): Promise<string> {
  const url = new URL(database)
  const protocol = url.protocol === 'mysql:' ? 'mysql' : 'postgres'
  const proxy = await createFaultyProxy(Number(url.port), protocol, latencyMs)
  url.port = `${proxy.address.port}`
  return url.href
}
