// Attacks the hosts with a million connections, and compares how long others wait with a server by hand:
//
//     npm run hostile -- --connections 1000000 --host node --seed 1
//
// The connections are shared out among the hosts; without --host, these are all. A failure prints the seed
// and the indexes of the connections that were open: `--from 4711 --connections 1` repeats one of them.
import { parseArgs } from 'node:util'
import { hostileConnections } from './draw.ts'
import { type HostName, hosts } from './hosts.ts'
import { startTarget, type Target } from './target.ts'
import { worstConnections } from './worst-connections.ts'

const BATCH = 5000
const ALL_KINDS = 'all kinds at once'
const WARM_UP = 500
// DESIGN: others wait at most 1.5 times as long as on the bare server, where that is more than 250 ms.
const MAX_RATIO = 1.5
const MAX_WAIT_MS = 250

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '1000000' },
    host: { type: 'string', multiple: true, default: Object.keys(hosts) },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    worst: { type: 'boolean', default: true },
  },
  allowNegative: true,
})
const seed = Number(values.seed)
const from = Number(values.from)
const chosen = values.host as HostName[]
// The bare hosts come first: the others are compared with them.
const names = [...new Set([...chosen.map((host) => hosts[host].bare), ...chosen])]
const share = Math.ceil(Number(values.connections) / names.length)

/** The longest wait of the good client in ms, by row and host. */
const waits = new Map<string, Partial<Record<HostName, number>>>()
let failures = 0

function note(row: string, host: HostName, waitMs: number): void {
  const before = waits.get(row) ?? {}
  waits.set(row, { ...before, [host]: Math.max(before[host] ?? 0, waitMs) })
}

async function attackOnce(
  target: Target,
  row: string,
  connections: Parameters<Target['attack']>[0],
): Promise<boolean> {
  try {
    const { longestWaitMs } = await target.attack(connections)
    note(row, target.host, longestWaitMs)
    console.error(`${target.host}: ${row}: ${Math.round(longestWaitMs)} ms`)
    return true
  } catch (error) {
    failures++
    console.error(`FAILED: ${target.host}, seed ${seed}, ${row}: ${(error as Error).message}`)
    return false
  }
}

async function attackHost(host: HostName): Promise<void> {
  const start = () => startTarget(host, hostileConnections(seed, -WARM_UP, WARM_UP))
  let target = await start()
  const restart = async () => {
    await target.stop()
    target = await start()
  }
  if (values.worst) {
    for (const connection of worstConnections) {
      if (!(await attackOnce(target, connection.name, [connection]))) await restart()
    }
  }
  for (let index = from; index < from + share; index += BATCH) {
    const count = Math.min(BATCH, from + share - index)
    const batch = hostileConnections(seed, index, count)
    if (!(await attackOnce(target, ALL_KINDS, batch))) await restart()
  }
  await target.stop()
}

for (const host of names) await attackHost(host)

const rows = [...waits].map(([row, byHost]) => {
  const cells = names.map((host) => [host, cell(byHost[host], byHost[hosts[host].bare])])
  return { row, ...Object.fromEntries(cells) }
})

function cell(waitMs: number | undefined, bare: number | undefined): string {
  if (waitMs === undefined || bare === undefined) return 'failed'
  const ratio = waitMs / bare
  const tooLong = ratio > MAX_RATIO && waitMs > MAX_WAIT_MS
  if (tooLong) failures++
  return `${Math.round(waitMs)} ms, ${ratio.toFixed(1)}${tooLong ? ' TOO LONG' : ''}`
}

console.log(
  'The longest wait of a good client, and its ratio to that on the bare server of its runtime',
)
console.table(rows)
if (failures > 0) {
  console.error(`${failures} failures`)
  process.exitCode = 1
}
