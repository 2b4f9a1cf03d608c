import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './program.ts'

/** Every host that the store is tested on, by its name, and the command that starts an entry of its kind. */
export const hosts = onThisMachine({
  'Node 22': 'node_modules/node22/bin/node test/runtimes/entries/node.ts',
  'Node 24': 'node test/runtimes/entries/node.ts',
  'Node 26': 'node_modules/node26/bin/node test/runtimes/entries/node.ts',
  Bun: 'bun test/runtimes/entries/bun.ts',
  Deno: 'deno run --allow-net --allow-env test/runtimes/entries/deno.ts',
  'Express 5': 'node test/runtimes/entries/express.ts',
  'Express 4': 'node test/runtimes/entries/express4.ts',
  Fastify: 'node test/runtimes/entries/fastify.ts',
  Hono: 'node test/runtimes/entries/hono.ts',
})

/** Leaves out the versions of Node that npm doesn't have for this machine. `npm run test:nodes` names them. */
export function onThisMachine<Name extends string>(
  commands: Record<Name, string>,
): Record<Name, string> {
  const isThere = ([program = '']: string[]) =>
    !program.includes('/') || existsSync(dirname(join(ROOT, program)))
  const all = Object.entries<string>(commands)
  return Object.fromEntries(
    all.filter(([, command]) => isThere(command.split(' '))),
  ) as typeof commands
}
