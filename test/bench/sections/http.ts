import { CREATE, compare, DELETE, LIST, type Measured, rowOf } from '../compare.ts'
import { median, type Row, type Section } from '../figures.ts'
import { node } from '../servers.ts'

const CONTESTANTS = [
  node('floor', 'floor'),
  // Its distance from the floor is the noise of the measurement.
  node('floor, again', 'floor'),
  node('plant-store', 'plant-store'),
  node('plant-store, mounted', 'plant-store#mount'),
  node('Fastify', 'fastify'),
  node('Hono', 'hono'),
  node('h3', 'h3'),
  node('Express', 'express'),
]

const WORKS = [
  { ...LIST, name: 'list 10 over HTTP', atMost: 1.05 },
  { ...CREATE, name: 'create over HTTP', atMost: 1.05 },
  { ...DELETE, name: 'delete over HTTP', atMost: 1.1 },
]

/** The plant store and its peers against the floor. */
export const http: Section = {
  name: 'http',
  about: 'list 10, create and delete over HTTP: server CPU per request',
  async run(log) {
    const rounds = { generations: 5, rounds: 6 }
    const results = await compare({ contestants: CONTESTANTS, works: WORKS, ...rounds }, log)
    return WORKS.flatMap(({ name, atMost }, i) => rowsOf(name, atMost, results[i]!))
  },
}

function rowsOf(work: string, atMost: number, measured: Measured[]): Row[] {
  const [floor, again, ...servers] = measured as [Measured, Measured, ...Measured[]]
  const [owns, peers] = [servers.slice(0, 2), servers.slice(2)]
  const cpuOf = ({ rounds }: Measured) => median(rounds.map(({ cpu }) => cpu))
  const cheapest = peers.toSorted((a, b) => cpuOf(a) - cpuOf(b))[0]!
  return [
    rowOf(work, again, floor, 'cpu'),
    ...owns.map((own) => ({ ...rowOf(work, own, floor, 'cpu'), atMost })),
    ...peers.map((peer) => rowOf(work, peer, floor, 'cpu')),
    ...owns.map((own) => ({
      ...rowOf(work, own, cheapest, 'cpu'),
      unit: `× ${cheapest.name}, the cheapest peer`,
      atMost: 1,
    })),
  ]
}
