import { CREATE, duel, LIST, listOf } from '../compare.ts'
import type { Row } from '../figures.ts'
import { bun, node } from '../servers.ts'

/** The generations of Fastify are many, since it is so close to the target that one process or another decides. */
const FRAMEWORKS = [
  ['Express', node, 'express', 1, 2],
  ['Fastify', node, 'fastify', 1, 10],
  ['Hono', node, 'hono', 1, 2],
  ['h3', node, 'h3', 1, 2],
  ['Hono on Bun', bun, 'hono', 1.1, 2],
  ['Elysia on Bun', bun, 'elysia', 1.1, 2],
] as const

/** The plant store mounted in an app, against the same work written as the framework's guide shows: server CPU. */
export async function run(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [framework, runtime, module, atMost, generations] of FRAMEWORKS) {
    const comparison = {
      where: `in ${framework}`,
      own: runtime('plant-store, mounted', `${module}#mount`),
      other: runtime('own idiom', module),
      works: [LIST, listOf(100, 600), CREATE],
      measures: { cpu: { atMost } },
      generations,
      rounds: 8,
    }
    rows.push(...(await duel(comparison)))
  }
  return rows
}
