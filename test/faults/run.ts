import { NO_MARIADB } from '../src/storage/mariadb-server.ts'
import { failOverMariadb } from './mysql/failovers.ts'
import { killMariadb } from './mysql/kills.ts'
import { failOverPostgres } from './postgres/failovers.ts'
import { killPostgres } from './postgres/kills.ts'
import { killSqliteServers } from './sqlite/kills.ts'
import type { WorldResult } from './world.ts'

export interface FaultOptions {
  /** An equal part of them on SQLite, PostgreSQL and, where it is installed, MariaDB. */
  kills: number
  /** Of PostgreSQL, and as many of MariaDB. */
  failovers: number
  seed: number
  /** Called after each accident. */
  onAccident?(world: string, done: number, of: number): void
}

/** The results of a run against one engine. */
export interface FaultResult extends WorldResult {
  world: string
  kills: number
  failovers: number
}

/** Puts the storages through accidents, all engines at the same time, and checks every recorded result. */
export function runFaults(options: FaultOptions): Promise<FaultResult[]> {
  const { seed, failovers, onAccident } = options
  const engines = NO_MARIADB ? 2 : 3
  const part = Math.floor(options.kills / engines)
  const rest = options.kills - (engines - 1) * part
  const worlds = [
    { world: 'SQLite', kills: rest, failovers: 0, run: killSqliteServers },
    { world: 'PostgreSQL', kills: part, failovers: 0, run: killPostgres },
    { world: 'PostgreSQL with a standby', kills: 0, failovers, run: failOverPostgres },
    ...(NO_MARIADB
      ? []
      : [
          { world: 'MariaDB', kills: part, failovers: 0, run: killMariadb },
          { world: 'MariaDB with a replica', kills: 0, failovers, run: failOverMariadb },
        ]),
  ]
  return Promise.all(
    worlds
      .filter(({ kills, failovers }) => kills + failovers > 0)
      .map(async ({ world, kills, failovers, run }) => {
        const accidents = kills + failovers
        const result = await run({
          seed,
          accidents,
          onAccident: (done) => onAccident?.(world, done, accidents),
        })
        return { world, kills, failovers, ...result }
      }),
  )
}
