// Attacks the hosts with a million connections, and compares how long others wait with a server by hand:
//
//     npm run hostile -- --connections 1000000 --host node --seed 1
//
// The connections are shared out among the hosts; without --host, these are all. A failure prints the seed
// and the indexes of the connections that were open: `--from 4711 --connections 1 --no-worst` repeats one of
// them. `--no-worst` leaves out the comparison.
import { parseArgs } from 'node:util'
import type { Connection } from './connection.ts'
import { hostileConnections } from './draw.ts'
import { type HostName, hosts, storeHosts } from './hosts.ts'
import { startTarget } from './target.ts'
import { worstConnections } from './worst-connections.ts'

const BATCH = 5000
const WARM_UP = 500
// The target: other clients wait at most 1.5 times as long as on the bare server, or at most 250 ms.
const MAX_RATIO = 1.5
const MAX_WAIT_MS = 250
/**
 * Other programs on the machine make the good client wait too, so the shortest of these waits counts. Of a bare server,
 * it is the median.
 */
const ATTEMPTS = 3
/** Not a measurement: a server that keeps a client waiting for so long is as good as dead. */
const LIVENESS_MS = 10_000

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '1000000' },
    host: { type: 'string', multiple: true, default: storeHosts },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    worst: { type: 'boolean', default: true },
  },
  allowNegative: true,
})
const unknown = values.host.filter((host) => !Object.hasOwn(hosts, host))
if (unknown.length > 0) {
  console.error(`There is no host ${unknown.join(' ')}; there are ${Object.keys(hosts).join(' ')}`)
  process.exit(1)
}
const seed = Number(values.seed)
const from = Number(values.from)
const chosen = values.host as HostName[]
const share = Math.ceil(Number(values.connections) / chosen.length)

/** The longest wait of the good client in ms, by row and host. */
const waits: Record<string, Partial<Record<HostName, number>>> = {}
let passed = 0
let failed = 0

function isTooLong(row: string, host: HostName): boolean {
  const { [host]: wait = 0, bare: bareWait = Number.POSITIVE_INFINITY } = waits[row]!
  return wait > MAX_WAIT_MS && wait > MAX_RATIO * bareWait
}

/** Attacks one host, and says how long the good client has waited. */
async function attackHost(host: HostName): Promise<void> {
  const start = () => startTarget(host, hostileConnections(seed, -WARM_UP, WARM_UP))
  let target = await start()

  async function attack(row: string, connections: Iterable<Connection>): Promise<number> {
    try {
      return (await target.attack(connections)).longestWaitMs
    } catch (error) {
      await target.stop()
      target = await start()
      throw new Error(`${host}, seed ${seed}, ${row}: ${(error as Error).message}`)
    }
  }

  async function compare(connection: Connection): Promise<void> {
    const row = connection.name
    const isBare = host === 'bare'
    const sorted: number[] = []
    waits[row] ??= {}
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const wait = await attack(row, [connection])
      sorted.push(wait)
      sorted.sort((a, b) => a - b)
      waits[row][host] = sorted[isBare ? attempt >> 1 : 0]!
      console.error(`${host}: ${row}: ${Math.round(wait)} ms`)
      if (!isBare && !isTooLong(row, host)) return
    }
    if (isBare) return
    throw new Error(`${host}, ${row}: others wait longer than on the bare server`)
  }

  async function attackBatch(first: number, count: number): Promise<void> {
    const row = `connections ${first} to ${first + count - 1}`
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const startedAt = performance.now()
      const wait = await attack(row, hostileConnections(seed, first, count))
      const perSecond = Math.round((1000 * count) / (performance.now() - startedAt))
      console.error(`${host}: ${row}: ${Math.round(wait)} ms, ${perSecond} connections a second`)
      if (wait < LIVENESS_MS) return
    }
    throw new Error(`${host}, seed ${seed}, ${row}: the good client waits too long`)
  }

  const worst = values.worst && hosts[host].isCompared ? worstConnections : []
  for (const connection of worst) await check(() => compare(connection))
  for (let done = 0; chosen.includes(host) && done < share; done += BATCH) {
    await check(() => attackBatch(from + done, Math.min(BATCH, share - done)))
  }
  await target.stop()
}

async function check(run: () => Promise<void>): Promise<void> {
  try {
    await run()
    passed++
  } catch (error) {
    failed++
    console.error(`FAILED: ${(error as Error).message}`)
  }
}

function cell(row: string, host: HostName): string {
  const { [host]: wait, bare: bareWait } = waits[row]!
  if (wait === undefined) return '-'
  const ratio = bareWait === undefined ? '' : `, ${(wait / bareWait).toFixed(1)}`
  return `${Math.round(wait)} ms${ratio}${isTooLong(row, host) ? ' TOO LONG' : ''}`
}

// It comes first: the others are compared with it.
const names: HostName[] = values.worst ? ['bare', ...chosen] : chosen
for (const host of names) await attackHost(host)

if (values.worst) {
  console.log(
    'The longest wait of a good client, and its ratio to that on a bare server of node:http',
  )
  console.table(
    Object.keys(waits).map((row) => ({
      row,
      ...Object.fromEntries(names.map((host) => [host, cell(row, host)])),
    })),
  )
}
console.log(`${passed} passed, ${failed} failed`)
if (failed > 0) process.exitCode = 1
