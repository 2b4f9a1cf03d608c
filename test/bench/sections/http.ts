import type { Figure, Section } from '../figures.ts'
import { measureGenerations } from '../generations.ts'
import { describe, type Measured, ratios } from '../rounds.ts'
import { startServer } from '../server.ts'
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

type Tuple = [floor: Measured, served: Measured, mounted: Measured, ...peers: Measured[]]

/** List or create over HTTP: the plant store and its peers against the floor. */
function httpSection(kind: 'list' | 'create', work: string, atMost: number): Section {
  return {
    name: kind,
    about: `${work}: server CPU a request`,
    async run(log) {
      const starters = SERVERS.map(
        ([name, module]) =>
          () =>
            startServer(name, module),
      )
      const options = {
        kind,
        generations: 6,
        rounds: 6,
        count: 8_000,
        warmup: 24_000,
        connections: 32,
      }
      return figures(await measureGenerations(starters, options, log))
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

export const list = httpSection('list', 'list 10 over HTTP', 1.05)
export const create = httpSection('create', 'create over HTTP', 1.05)
