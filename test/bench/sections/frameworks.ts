import { CREATE, duels, LIST } from '../compare.ts'
import { bun, node } from '../servers.ts'

const FRAMEWORKS = [
  ['Express', node, 'express'],
  ['Fastify', node, 'fastify'],
  ['Hono', node, 'hono'],
  ['h3', node, 'h3'],
  ['Hono on Bun', bun, 'hono'],
  ['Elysia on Bun', bun, 'elysia'],
] as const

/** The plant store mounted in an app, against the same work written as the framework's guide shows. */
export const frameworks = duels(
  'frameworks',
  "mounted in a framework: server CPU against the framework's own idiom",
  { works: [LIST, CREATE], measures: ['cpu'], atMost: 1, generations: 3, rounds: 8 },
  FRAMEWORKS.map(([framework, runtime, module]) => [
    `in ${framework}`,
    runtime('plant-store, mounted', `${module}#mount`),
    runtime('own idiom', module),
  ]),
)
