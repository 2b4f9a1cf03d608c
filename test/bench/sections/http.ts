import { checkSameAnswers } from '../check.ts'
import type { Figure, Section } from '../figures.ts'
import { type Load, startLoad } from '../load.ts'
import { describe, type Measured, measureGenerations, measureRounds, ratios } from '../rounds.ts'
import { type Server, startServer } from '../server.ts'
import { median } from '../statistics.ts'

const SERVERS = [
  ['floor', 'floor'],
  ['plant-store', 'plant-store'],
  ['plant-store, mounted', 'plant-store-mounted'],
  ['Fastify', 'fastify'],
  ['Hono', 'hono'],
  ['h3', 'h3'],
  ['Express', 'express'],
] as const

const GENERATIONS = 6

async function measure(
  kind: 'list' | 'create',
  generation: number,
  log: (line: string) => void,
): Promise<Measured[]> {
  const servers: Server[] = []
  let load: Load | undefined
  try {
    // Nobody is always the oldest process, nor always next to the same one.
    const order = [...SERVERS.slice(generation), ...SERVERS.slice(0, generation)]
    for (const [name, module] of order) servers.push(await startServer(name, module))
    await checkSameAnswers(servers)
    log('all servers answer alike')
    load = startLoad()
    return await measureRounds(
      load,
      servers,
      { kind, rounds: 6, count: 8_000, warmup: 24_000, connections: 32 },
      log,
    )
  } finally {
    await Promise.all([load, ...servers].map((child) => child?.stop()))
  }
}

type Tuple = [floor: Measured, served: Measured, mounted: Measured, ...peers: Measured[]]

/** List or create over HTTP: the plant store and its peers against the floor. */
function httpSection(kind: 'list' | 'create', work: string, atMost: number): Section {
  return {
    name: kind,
    about: `${work}: server CPU a request`,
    async run(log) {
      return figures(
        await measureGenerations(GENERATIONS, (generation) => measure(kind, generation, log)),
      )
    },
  }

  function figures(measured: Measured[]): Figure[] {
    const [floor, served, mounted, ...peers] = measured as Tuple
    const cheapest = peers.toSorted((a, b) => median(a.cpu) - median(b.cpu))[0]!
    return [
      ...measured.map((one): Figure => {
        const { median: value, low, high } = ratios(one, floor, 'cpu')
        return {
          section: kind,
          work,
          subject: one.server.name,
          value,
          low,
          high,
          unit: '× floor',
          ...((one === served || one === mounted) && { atMost }),
          note: `${describe(one)}, throughput ${ratios(one, floor, 'throughput').median.toFixed(2)} × floor`,
        }
      }),
      ...[served, mounted].map((own): Figure => {
        const { median: value, low, high } = ratios(own, cheapest, 'cpu')
        return {
          section: kind,
          work,
          subject: `${own.server.name}, to the cheapest peer (${cheapest.server.name})`,
          value,
          low,
          high,
          unit: '×',
          atMost: 1,
        }
      }),
    ]
  }
}

export const list = httpSection('list', 'list 10 over HTTP', 1.15)
export const create = httpSection('create', 'create over HTTP', 1.25)
