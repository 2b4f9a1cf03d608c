import { CREATE, compare, DELETE, LIST, type Measured, rowOf } from '../compare.ts'
import { median, type Row, type Section } from '../figures.ts'
import { node } from '../servers.ts'

/** The first is what the others are compared with. */
const FLOORS = [
  node('floor', 'floor'),
  // Its distance from the floor is the noise of the measurement.
  node('floor, again', 'floor'),
  node('floor, batching', 'floor#batching'),
]
const OWNS = [node('plant-store', 'plant-store'), node('plant-store, mounted', 'plant-store#mount')]
const PEERS = [
  node('Fastify', 'fastify'),
  node('Hono', 'hono'),
  node('h3', 'h3'),
  node('Express', 'express'),
]
const CONTESTANTS = [...FLOORS, ...OWNS, ...PEERS]

const WORKS = [
  { ...LIST, name: 'list 10 over HTTP', atMost: 1.1 },
  { ...CREATE, name: 'create over HTTP', atMost: 1.1 },
  { ...DELETE, name: 'delete over HTTP', atMost: 1.15 },
]
const AT_MOST_OF_BATCHING = 1.2
const AT_MOST_OF_PEER = 0.95

/** The plant store and its peers against the floor. */
export const http: Section = {
  name: 'http',
  about: 'list 10, create and delete over HTTP: server CPU per request',
  async run() {
    const rounds = { generations: 5, rounds: 6 }
    const results = await compare({ contestants: CONTESTANTS, works: WORKS, ...rounds })
    return WORKS.flatMap(({ name, atMost }, i) => rowsOf(name, atMost, results[i]!))
  },
}

function rowsOf(work: string, atMost: number, measured: readonly Measured[]): Row[] {
  const of = ({ name }: { name: string }) => measured.find((one) => one.name === name)!
  const [floor, again, batchingFloor] = FLOORS.map(of) as [Measured, Measured, Measured]
  const owns = OWNS.map(of)
  const toFloor = (one: Measured) => rowOf(work, one, floor, 'cpu')
  const cpuOf = ({ rounds }: Measured) => median(rounds.map(({ cpu }) => cpu))
  const cheapest = PEERS.map(of).toSorted((a, b) => cpuOf(a) - cpuOf(b))[0]!
  return [
    toFloor(again),
    toFloor(batchingFloor),
    ...owns.map((own) => ({ ...toFloor(own), atMost })),
    ...PEERS.map((peer) => toFloor(of(peer))),
    ...owns.map((own) => ({
      ...rowOf(work, own, batchingFloor, 'cpu'),
      atMost: AT_MOST_OF_BATCHING,
    })),
    ...owns.map((own) => ({
      ...rowOf(work, own, cheapest, 'cpu'),
      unit: `× ${cheapest.name}, the cheapest peer`,
      atMost: AT_MOST_OF_PEER,
    })),
  ]
}
