// Restarts two servers in turn behind proxies, under clients that retry nothing:
//
//     npm run restarts -- --restarts 200 --clients 32
//
// `--proxy nginx` and `--storage SQLite` choose one, and `--runtime bun` starts the servers with another runtime.
import { parseArgs } from 'node:util'
import { PROXIES } from './proxies.ts'
import { runRestarts } from './run.ts'

const { values } = parseArgs({
  options: {
    restarts: { type: 'string', default: '200' },
    clients: { type: 'string', default: '32' },
    proxy: { type: 'string' },
    storage: { type: 'string' },
    runtime: { type: 'string' },
  },
})
const rows: Record<string, unknown>[] = []
for (const [proxy, { missing }] of Object.entries(PROXIES)) {
  if (values.proxy && values.proxy !== proxy) continue
  if (missing) {
    console.error(`Without ${proxy}: ${missing}`)
    continue
  }
  for (const storage of ['SQLite', 'PostgreSQL'] as const) {
    if (values.storage && values.storage !== storage) continue
    const { answered, errors, slowestStopMs } = await runRestarts({
      proxy: proxy as keyof typeof PROXIES,
      storage,
      restarts: Number(values.restarts),
      clients: Number(values.clients),
      runtime: values.runtime?.split(' '),
    })
    for (const error of errors.slice(0, 20)) console.error(`${proxy}, ${storage}: ${error}`)
    const slowest = `${Math.round(slowestStopMs)} ms`
    rows.push({ proxy, storage, answered, errors: errors.length, 'slowest stop': slowest })
    if (errors.length > 0) process.exitCode = 1
  }
}
if (rows.length === 0) {
  console.error(
    `Nothing was run. The proxies are ${Object.keys(PROXIES).join(', ')}, on SQLite and PostgreSQL`,
  )
  process.exitCode = 1
}
console.table(rows)
