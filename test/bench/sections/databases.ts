import { NO_MARIADB } from '../../src/storage/mariadb-server.ts'
import { CREATE, duel, LIST, listOf } from '../compare.ts'
import { startMariadb, startPostgres } from '../databases.ts'
import type { Row } from '../figures.ts'
import { node } from '../servers.ts'

const KIND = {
  works: [LIST, listOf(100, 500), CREATE],
  measures: { throughput: { atLeast: 0.9 }, cpu: { atMost: 1.2 } },
  generations: 4,
  rounds: 8,
}
const DATABASES = [
  ['PostgreSQL', 'pg', 'postgres', () => startPostgres(true)],
  ['MariaDB', 'mysql2', 'mysql', startMariadb],
] as const

/** The plant store on a database over HTTP, against a server of the bare driver with the same SQL. */
export async function run(): Promise<Row[]> {
  if (NO_MARIADB) throw new Error(NO_MARIADB)
  const rows: Row[] = []
  for (const [name, driver, storage, start] of DATABASES) {
    const server = await start()
    try {
      // A database each, so that each has the same plants.
      const [own, bare] = [await server.createDatabase('own'), await server.createDatabase('bare')]
      const sides = {
        own: node('plant-store', 'plant-store', `${storage}:${own}`),
        other: node(`bare ${driver}`, 'floor', `bare-${storage}:${bare}`),
      }
      rows.push(...(await duel({ ...KIND, where: `on ${name} over HTTP`, ...sides })))
    } finally {
      await server.stop()
    }
  }
  return rows
}
