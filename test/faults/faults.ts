// Kills the processes of SQLite, PostgreSQL and MariaDB under load, makes I/O fail, and fails over to a standby:
//
//     npm run faults -- --kills 1000 --failovers 100 --seed 1
//
// Every call is recorded, and must be explained by what was acknowledged: nothing lost, nothing invented,
// linearizable for each plant. The seed decides the accidents and the calls, but not how processes meet, so
// repeat a failing run more than once.
import { parseArgs } from 'node:util'
import { NO_MARIADB } from '../src/storage/mariadb-server.ts'
import { runFaults } from './run.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    failovers: { type: 'string', default: '100' },
    seed: { type: 'string', default: `${Date.now() % 2 ** 31}` },
  },
})
const [kills, failovers, seed] = [
  Number(values.kills),
  Number(values.failovers),
  Number(values.seed),
]
console.error(`Seed ${seed}`)
if (NO_MARIADB) console.error(NO_MARIADB)

const started = performance.now()
const minutes = () => ((performance.now() - started) / 60_000).toFixed(1)

/** Reports about every twentieth of the accidents. */
function onAccident(world: string, done: number, of: number): void {
  if (done % Math.ceil(of / 20) === 0 || done >= of) {
    console.error(`${minutes()} min  ${world}: ${done} of ${of}`)
  }
}

const results = await runFaults({ kills, failovers, seed, onAccident }).catch((error) => {
  console.error(`The suite stopped, with seed ${seed}:`)
  console.error(error)
  // The engines of the others still run.
  process.exit(1)
})

const rows = results.map(({ world, faults, violations, ...result }) => {
  const injected = Object.entries(faults).map(([kind, count]) => `${count} ${kind}`)
  return [world, { ...result, 'I/O faults': injected.join(', '), violations: violations.length }]
})
console.table(Object.fromEntries(rows))
console.log(`${minutes()} minutes, seed ${seed}`)

for (const { world, violations } of results) {
  for (const violation of violations.slice(0, 10)) console.error(`\n${world}: ${violation}`)
}
if (results.some(({ violations }) => violations.length > 0)) {
  console.error(
    `\nRepeat with: npm run faults -- --kills ${kills} --failovers ${failovers} --seed ${seed}`,
  )
  process.exitCode = 1
}
