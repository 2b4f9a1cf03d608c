import { CREATE, duel, LIST } from '../compare.ts'
import { node } from '../servers.ts'

/** One request at a time, with nothing to share work with: the time to the response. */
export const run = () =>
  duel({
    where: 'alone on the server',
    own: node('plant-store', 'plant-store'),
    other: node('floor', 'floor'),
    works: [LIST, CREATE].map((work) => ({ ...work, connections: 1, count: 750 })),
    measures: { p50: { atMost: 1.2 }, p99: { atMost: 1.2 } },
    generations: 3,
    rounds: 12,
  })
