import { CREATE, compare, DELETE, LIST } from '../compare.ts'
import type { Row } from '../figures.ts'
import { node } from '../servers.ts'

const OWNS = [node('plant-store', 'plant-store'), node('plant-store, mounted', 'plant-store#mount')]
const PEERS = [
  node('Fastify', 'fastify'),
  node('Hono', 'hono'),
  node('h3', 'h3'),
  node('Express', 'express'),
]
const FLOORS = [
  // Its distance from the floor is the noise of the measurement.
  node('floor, again', 'floor'),
  node('floor, batching', 'floor#batching'),
]
const WORKS = [
  { ...LIST, atMost: 1.1 },
  { ...CREATE, atMost: 1.1 },
  { ...DELETE, atMost: 1.15 },
]

/** List 10, create and delete over HTTP: server CPU of the plant store and its peers against the floor. */
export async function run(): Promise<Row[]> {
  const contestants = [node('floor', 'floor'), ...FLOORS, ...OWNS, ...PEERS]
  const kind = { where: 'over HTTP', works: WORKS, generations: 5, rounds: 6 }
  const ratio = await compare({ ...kind, contestants })
  return WORKS.flatMap((work) => {
    const peers = PEERS.map(({ name }) => ratio(work, name, 'floor'))
    const cheapest = peers.toSorted((a, b) => a.value - b.value)[0]!.subject
    return [
      ...FLOORS.map(({ name }) => ratio(work, name, 'floor')),
      ...OWNS.map(({ name }) => ratio(work, name, 'floor', { atMost: work.atMost })),
      ...peers,
      ...OWNS.map(({ name }) => ratio(work, name, 'floor, batching', { atMost: 1.2 })),
      ...OWNS.map(({ name }) => ({
        ...ratio(work, name, cheapest, { atMost: 0.95 }),
        unit: `× ${cheapest}, the cheapest peer`,
      })),
    ]
  })
}
