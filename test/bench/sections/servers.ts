import { CREATE, compare, DELETE, duel, LIST, listOf } from '../compare.ts'
import { type Row, rowsOf } from '../figures.ts'
import { bun, deno, FASTIFY, FLOOR, MOUNTED, node, OWN, workerd } from '../servers.ts'

/** Servers against each other, on the same storage in memory. */

const OWNS = [OWN, MOUNTED]
const PEERS = [FASTIFY, node('Hono', 'hono'), node('h3', 'h3'), node('Express', 'express')]
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
export async function http(): Promise<Row[]> {
  const contestants = [FLOOR, ...FLOORS, ...OWNS, ...PEERS]
  const ratio = await compare({ where: 'over HTTP', works: WORKS, contestants })
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

/** One request at a time, with nothing to share work with: the time to the response. */
export const latency = () =>
  duel({
    where: 'alone on the server',
    own: OWN,
    other: FLOOR,
    works: [LIST, CREATE].map((work) => ({ ...work, connections: 1, count: 750 })),
    measures: { p50: { atMost: 1.2 }, p99: { atMost: 1.2 } },
  })

/** The generations of Fastify are many, since it is so close to the target that one process or another decides. */
const FRAMEWORKS = [
  ['Express', node, 'express', 1, 4],
  ['Fastify', node, 'fastify', 1, 10],
  ['Hono', node, 'hono', 1, 4],
  ['h3', node, 'h3', 1, 4],
  ['Hono on Bun', bun, 'hono', 1.1, 4],
  ['Elysia on Bun', bun, 'elysia', 1.1, 4],
] as const

/** The plant store mounted in an app, against the same work written as the framework's guide shows: server CPU. */
export const frameworks = () =>
  rowsOf(FRAMEWORKS, ([framework, runtime, module, atMost, generations]) =>
    duel({
      where: `in ${framework}`,
      own: runtime('plant-store, mounted', `${module}#mount`),
      other: runtime('own idiom', module),
      works: [LIST, listOf(100, 600), CREATE],
      measures: { cpu: { atMost } },
      generations,
    }),
  )

const RUNTIMES = [
  ['Bun', bun('plant-store', 'plant-store#serve'), bun('bare', 'by-hand')],
  ['Deno', deno('plant-store', 'plant-store#serve'), deno('bare', 'by-hand')],
  ['workerd', workerd('plant-store', 'plantStore'), workerd('bare', 'bare')],
] as const

/** The plant store on other runtimes, each against a bare fetch handler on the same runtime: server CPU. */
export const runtimes = () =>
  rowsOf(RUNTIMES, ([runtime, own, other]) =>
    duel({
      where: `on ${runtime}`,
      own,
      other,
      works: [LIST, CREATE],
      measures: { cpu: { atMost: 1.2 } },
    }),
  )
