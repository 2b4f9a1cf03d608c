import { CREATE, duels, LIST } from '../compare.ts'
import { node } from '../servers.ts'

const KIND = {
  works: [LIST, CREATE].map((work) => ({ ...work, connections: 1, count: 750 })),
  measures: { p50: { atMost: 1.2 }, p99: { atMost: 1.2 } },
  generations: 3,
  rounds: 12,
} as const

/** One request at a time: nothing to share work with. */
export const latency = duels('latency', 'one request alone on the server: time to the response', [
  [KIND, 'alone on the server', node('plant-store', 'plant-store'), node('floor', 'floor')],
])
