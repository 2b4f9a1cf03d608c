import type { Load } from './load.ts'
import type { Work } from './load-process.ts'
import type { Server } from './server.ts'
import { median, type Spread, spread } from './statistics.ts'

/** What one server did in each round. */
export interface Measured {
  server: Server
  /** µs of the server's CPU a request. */
  cpu: number[]
  /** Requests a second. */
  throughput: number[]
}

export interface RoundOptions {
  kind: Work['kind']
  rounds: number
  /** Requests a server gets in each round. */
  count: number
  /** Requests a server gets before the first round, so that its code is compiled. */
  warmup: number
  connections: number
}

/**
 * Measures the servers in turn, round after round (A B C, C B A, …): what the machine does meanwhile
 * hits all of them alike, and each round gives one ratio.
 */
export async function measureRounds(
  load: Load,
  servers: Server[],
  { kind, rounds, count, warmup, connections }: RoundOptions,
  log: (line: string) => void,
): Promise<Measured[]> {
  let id = 1
  const run = async (server: Server, requests: number) => {
    const before = await server.cpu()
    const result = await load.run({
      kind,
      ports: [server.port],
      connections,
      count: requests,
      firstId: id,
    })
    const cpu = ((await server.cpu()) - before) / requests
    return { ...result, cpu, throughput: requests / result.seconds }
  }

  for (const server of servers) await run(server, warmup)
  id += warmup

  const measured = servers.map((server): Measured => ({ server, cpu: [], throughput: [] }))
  let busiest = 0
  for (let round = 0; round < rounds; round++) {
    // There and back, so that nobody always comes after the same one.
    for (const one of round % 2 === 0 ? measured : measured.toReversed()) {
      const { cpu, throughput, utilization } = await run(one.server, count)
      one.cpu.push(cpu)
      one.throughput.push(throughput)
      busiest = Math.max(busiest, utilization)
    }
    id += count
  }
  if (busiest > 0.95) log(`${kind}: the load took ${Math.round(busiest * 100)} % of its core`)
  return measured
}

/** The ratios of one server's rounds to another's. */
export function ratios(of: Measured, to: Measured, what: 'cpu' | 'throughput'): Spread {
  return spread(of[what].map((value, round) => value / to[what][round]!))
}

/** The absolute figures of this run. */
export function describe({ cpu, throughput }: Measured): string {
  return `${median(cpu).toFixed(1)} µs CPU, ${Math.round(median(throughput))} requests/s`
}
