// Kills the processes of SQLite, PostgreSQL and MariaDB under load, makes I/O fail, and fails over to a standby:
//
//     npm run faults -- --kills 300 --failovers 100 --seed 1
//
// Every call is recorded, and must be explained by what was acknowledged: nothing lost, nothing invented,
// linearizable for each plant. The seed decides the accidents and the calls, but not how processes meet, so
// repeat a failing run more than once.
import { parseArgs } from 'node:util'
import { NO_MARIADB } from '../src/storage/mariadb-server.ts'
import { causeAccidents, failOver } from './database.ts'
import type { AccidentOptions, LoadResult } from './load.ts'
import { mariadb } from './mysql/database.ts'
import { postgres } from './postgres/database.ts'
import { killSqliteServers } from './sqlite/kills.ts'

interface FaultOptions {
  /** Of SQLite, of PostgreSQL, and of MariaDB where it is installed. */
  kills: number
  /** Of PostgreSQL and of MariaDB. */
  failovers: number
  seed: number
}

/** Puts the storages through accidents, all engines at the same time, and checks every recorded result. */
export async function runFaults({ kills, failovers, seed }: FaultOptions) {
  async function run(
    engine: string,
    accidents: number,
    cause: (options: AccidentOptions) => Promise<LoadResult>,
  ) {
    if (accidents === 0) return []
    return [{ engine, accidents, ...(await cause({ seed, accidents })) }]
  }
  const results = [
    run('SQLite', kills, killSqliteServers),
    run('PostgreSQL', kills, (options) => causeAccidents(postgres, options)),
    run('PostgreSQL with a standby', failovers, (options) => failOver(postgres, options)),
  ]
  if (!NO_MARIADB) {
    results.push(
      run('MariaDB', kills, (options) => causeAccidents(mariadb, options)),
      run('MariaDB with a replica', failovers, (options) => failOver(mariadb, options)),
    )
  }
  return (await Promise.all(results)).flat()
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '300' },
      failovers: { type: 'string', default: '100' },
      seed: { type: 'string', default: `${Date.now() % 2 ** 31}` },
    },
  })
  const [kills, failovers, seed] = [values.kills, values.failovers, values.seed].map(Number)
  console.log(`Repeat with: --kills ${kills} --failovers ${failovers} --seed ${seed}`)
  if (NO_MARIADB) console.error(NO_MARIADB)
  const results = await runFaults({ kills: kills!, failovers: failovers!, seed: seed! })
  for (const { engine, violations } of results) {
    for (const violation of violations.slice(0, 10)) console.error(`\n${engine}: ${violation}`)
  }
  const columns = results.map(({ errors, violations, ...rest }) => {
    return { ...rest, errors: errors.length, violations: violations.length }
  })
  console.table(columns)
  if (results.some(({ violations }) => violations.length > 0)) process.exitCode = 1
}
