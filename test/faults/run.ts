import { failOverPostgres } from './postgres/failovers.ts'
import { killPostgres } from './postgres/kills.ts'
import { killSqliteServers } from './sqlite/kills.ts'
import type { WorldResult } from './world.ts'

export interface FaultOptions {
  /** Half of them on SQLite, half on PostgreSQL. */
  kills: number
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
  const half = Math.floor(options.kills / 2)
  const worlds = [
    { world: 'SQLite', kills: options.kills - half, failovers: 0, run: killSqliteServers },
    { world: 'PostgreSQL', kills: half, failovers: 0, run: killPostgres },
    { world: 'PostgreSQL with a standby', kills: 0, failovers, run: failOverPostgres },
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
