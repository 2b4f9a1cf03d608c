import { CREATE, duels, LIST, listOf } from '../compare.ts'
import { bun, node } from '../servers.ts'

const KIND = { works: [LIST, listOf(100, 600), CREATE], measures: { cpu: { atMost: 1 } } } as const
/** Far from the target. */
const FAR = { ...KIND, generations: 2, rounds: 8 }
const ON_BUN = { ...FAR, measures: { cpu: { atMost: 1.1 } } }
/** So close to it that one process or another decides. */
const CLOSE = { ...KIND, generations: 10, rounds: 8 }

const FRAMEWORKS = [
  ['Express', node, 'express', FAR],
  ['Fastify', node, 'fastify', CLOSE],
  ['Hono', node, 'hono', FAR],
  ['h3', node, 'h3', FAR],
  ['Hono on Bun', bun, 'hono', ON_BUN],
  ['Elysia on Bun', bun, 'elysia', ON_BUN],
] as const

/** The plant store mounted in an app, against the same work written as the framework's guide shows. */
export const frameworks = duels(
  'frameworks',
  "mounted in a framework: server CPU against the framework's own idiom",
  FRAMEWORKS.map(([framework, runtime, module, kind]) => [
    kind,
    `in ${framework}`,
    runtime('plant-store, mounted', `${module}#mount`),
    runtime('own idiom', module),
  ]),
)
