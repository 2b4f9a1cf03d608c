import { NO_MARIADB } from '../../src/storage/mariadb-server.ts'
import { CREATE, duel, LIST } from '../compare.ts'
import { type DatabaseServer, startMariadb, startPostgres } from '../databases.ts'
import type { Log, Row, Section } from '../figures.ts'
import { node } from '../servers.ts'

/** The plant store on PostgreSQL over HTTP, against a bare pg server with the same SQL. */
export const postgres: Section = {
  name: 'postgres',
  about:
    'PostgreSQL over HTTP: throughput and server CPU against a bare pg server with the same SQL',
  run: async (log) =>
    compareWithBare('PostgreSQL', 'pg', 'postgres', await startPostgres(true), log),
}

/** The plant store on MariaDB over HTTP, against a bare mysql2 server with the same SQL. */
export const mysql: Section = {
  name: 'mysql',
  about:
    'MariaDB over HTTP: throughput and server CPU against a bare mysql2 server with the same SQL',
  async run(log) {
    if (NO_MARIADB) throw new Error(NO_MARIADB)
    return compareWithBare('MariaDB', 'mysql2', 'mysql', await startMariadb(), log)
  },
}

async function compareWithBare(
  name: string,
  driver: string,
  storage: string,
  server: DatabaseServer,
  log: Log,
): Promise<Row[]> {
  const measures = { throughput: { atLeast: 0.85 }, cpu: {} }
  const kind = { works: [LIST, CREATE], measures, generations: 4, rounds: 8 }
  try {
    // A database each, so that each has the same plants.
    const [own, bare] = [await server.createDatabase('own'), await server.createDatabase('bare')]
    const sides = [
      node('plant-store', 'plant-store', `${storage}:${own}`),
      node(`bare ${driver}`, 'floor', `bare-${storage}:${bare}`),
    ] as const
    return await duel(kind, [`on ${name} over HTTP`, ...sides], log)
  } finally {
    await server.stop()
  }
}
