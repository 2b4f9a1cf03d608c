import { NO_MARIADB } from '../src/storage/mariadb-server.ts'
import type { AccidentOptions } from './accidents.ts'
import { failOver, killServer } from './database.ts'
import type { LoadResult } from './load.ts'
import { mariadb } from './mysql/database.ts'
import { postgres } from './postgres/database.ts'
import { killSqliteServers } from './sqlite/kills.ts'

export interface FaultOptions {
  /** Of SQLite, of PostgreSQL, and of MariaDB where it is installed. */
  kills: number
  /** Of PostgreSQL and of MariaDB. */
  failovers: number
  seed: number
}

/** The results of a run against one engine. */
export interface FaultResult extends LoadResult {
  engine: string
  accidents: number
}

/** Puts the storages through accidents, all engines at the same time, and checks every recorded result. */
export async function runFaults({ kills, failovers, seed }: FaultOptions): Promise<FaultResult[]> {
  async function run(
    engine: string,
    accidents: number,
    cause: (options: AccidentOptions) => Promise<LoadResult>,
  ): Promise<FaultResult[]> {
    if (accidents === 0) return []
    return [{ engine, accidents, ...(await cause({ seed, accidents })) }]
  }

  const results = await Promise.all([
    run('SQLite', kills, killSqliteServers),
    run('PostgreSQL', kills, (options) => killServer(postgres, options)),
    run('PostgreSQL with a standby', failovers, (options) => failOver(postgres, options)),
    run('MariaDB', NO_MARIADB ? 0 : kills, (options) => killServer(mariadb, options)),
    run('MariaDB with a replica', NO_MARIADB ? 0 : failovers, (options) =>
      failOver(mariadb, options),
    ),
  ])
  return results.flat()
}
