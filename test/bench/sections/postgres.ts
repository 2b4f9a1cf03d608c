import pg from 'pg'
import { createPostgres } from '../../src/storage/postgres-server.ts'
import { CREATE, duel, LIST } from '../compare.ts'
import type { Section } from '../figures.ts'
import { importBuilt } from '../own.ts'
import { tie } from '../processes.ts'
import { node } from '../servers.ts'

/** The plant store on PostgreSQL over HTTP, against a bare pg server with the same SQL. */
export const postgres: Section = {
  name: 'postgres',
  about:
    'PostgreSQL over HTTP: throughput and server CPU against a bare pg server with the same SQL',
  async run(log) {
    const server = await createPostgres({ fsync: 'on', shared_buffers: '128MB' })
    const pool = new pg.Pool(server.connection)
    // As on another machine: the server has its core for itself.
    const { rows } = await pool.query("SELECT pg_read_file('postmaster.pid') AS file")
    tie(Number.parseInt(rows[0].file, 10), 'load')

    /** A database each, so that each has the same plants. */
    const databaseOf = (storage: string) => async (generation: number) => {
      const database = `${storage}-${generation}`
      await pool.query(`CREATE DATABASE "${database}"`)
      const { host, port, user } = server.connection
      const own = new pg.Pool({ ...server.connection, database })
      await (await importBuilt('src/storage/postgres.ts')).postgresStorage(own).migrate()
      await own.end()
      return `${storage}:postgres://${user}@${host}:${port}/${database}`
    }
    const measures = { throughput: { atLeast: 0.85 }, cpu: {} }
    const own = node('plant-store', 'plant-store', databaseOf('postgres'))
    const bare = node('bare pg', 'floor', databaseOf('bare-postgres'))
    try {
      const kind = { works: [LIST, CREATE], measures, generations: 4, rounds: 8 }
      return await duel(kind, ['on PostgreSQL over HTTP', own, bare], log)
    } finally {
      await pool.end()
      await server.remove()
    }
  },
}
