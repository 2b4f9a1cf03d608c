import { readFileSync } from 'node:fs'
import { createPool } from 'mysql2/promise'
import { createMariadb, NO_MARIADB } from '../../src/storage/mariadb-server.ts'
import { CREATE, duel, LIST } from '../compare.ts'
import type { Section } from '../figures.ts'
import { importBuilt } from '../own.ts'
import { tie } from '../processes.ts'
import { node } from '../servers.ts'

/** The plant store on MariaDB over HTTP, against a bare mysql2 server with the same SQL. */
export const mysql: Section = {
  name: 'mysql',
  about:
    'MariaDB over HTTP: throughput and server CPU against a bare mysql2 server with the same SQL',
  async run(log) {
    if (NO_MARIADB) throw new Error(NO_MARIADB)
    const server = await createMariadb({
      innodb_flush_log_at_trx_commit: '1',
      innodb_buffer_pool_size: '128M',
      max_connections: '300',
    })
    // As on another machine: the server has its core for itself.
    const [{ file }] = await server.run('SELECT @@pid_file AS file')
    tie(Number(readFileSync(file, 'utf8')), 'load')

    /** A database each, so that each has the same plants. */
    const databaseOf = (storage: string) => async (generation: number) => {
      const database = `${storage}-${generation}`
      await server.run(`CREATE DATABASE \`${database}\``)
      const own = createPool({ ...server.connection, database })
      await (await importBuilt('src/storage/mysql.ts')).mysqlStorage(own).migrate()
      await own.end()
      const { host, port, user } = server.connection
      return `${storage}:mysql://${user}@${host}:${port}/${database}`
    }
    const measures = { throughput: { atLeast: 0.85 }, cpu: {} }
    const own = node('plant-store', 'plant-store', databaseOf('mysql'))
    const bare = node('bare mysql2', 'floor', databaseOf('bare-mysql'))
    try {
      const kind = { works: [LIST, CREATE], measures, generations: 4, rounds: 8 }
      return await duel(kind, ['on MariaDB over HTTP', own, bare], log)
    } finally {
      await server.remove()
    }
  },
}
