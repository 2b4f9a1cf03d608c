import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestPlantAdapterOptions } from '../../src/testing.ts'
import { isNightly } from '../shared/nightly.ts'
import { ROOT } from './program.ts'

/** Every host that the store is tested on, by its name, and the command that starts an entry of its kind. */
export const hosts = onThisMachine({
  'Node 22': 'test/runtimes/nodes/node_modules/node22/bin/node test/runtimes/entries/serve.ts node',
  'Node 24': 'node test/runtimes/entries/serve.ts node',
  'Node 26': 'test/runtimes/nodes/node_modules/node26/bin/node test/runtimes/entries/serve.ts node',
  Bun: 'bun test/runtimes/entries/serve.ts bun',
  Deno: 'deno run --allow-net --allow-env test/runtimes/entries/serve.ts deno',
  'Deno, node:http': 'deno run --allow-net --allow-env test/runtimes/entries/serve.ts node',
  Elysia: 'bun test/runtimes/entries/elysia.ts',
  'Elysia, routes': 'bun test/runtimes/entries/elysia-routes.ts',
})

const BUN = {
  pipelining: {
    always: 'Bun closes a connection where a request comes before an asynchronous response',
    seen: '0 were answered',
  },
}

/** How the hosts are tested, and what they cannot do. Default: no options. */
export const testOptions: Partial<Record<string, TestPlantAdapterOptions>> = {
  Bun: { limits: BUN },
  Elysia: { limits: { ...BUN, 'verifier-request': 'app.mount takes the mount path off the URL' } },
  'Elysia, routes': { limits: BUN },
  Deno: {
    limits: {
      'truncated-list over HTTP/1.0': {
        always: 'Deno.serve neither tells the version nor can reset',
        seen: 'looks complete',
      },
    },
  },
  // It shows that plant-store/node can do what Deno.serve cannot.
  'Deno, node:http': { versions: ['1.0'] },
  workerd: {
    // It answers HTTP/1.0 as 1.1. Cloudflare's own servers are in front of it.
    versions: ['1.1'],
    limits: {
      'absolute-target': 'workerd answers it itself, with 500',
      'connection-close': 'workerd keeps the connection, as its proxy is meant to',
      'expect-continue': 'workerd ignores Expect',
      'hang-up': { sometimes: 'workerd drops the work without telling it' },
      'readable-refusal': 'workerd closes the connection before the rest of the body has come',
      'smuggled-request':
        'workerd serves what follows the last chunk, even if Content-Length says otherwise',
      'truncated-list': 'workerd ends the response; the array has no closing bracket',
      'unread-body': 'workerd closes the connection, and does not say so',
    },
  },
}

/** Leaves out the versions of Node that npm doesn't have for this machine. */
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

/** One of each runtime. The others share all but their own line with one of these, or with test/adapters/mounts.test.ts. */
const QUICK = ['Node 24', 'Bun', 'Deno']

/** The commands that this run tests: all of them in the nightly run. */
export function tested(commands: Record<string, string>): [name: string, command: string][] {
  return Object.entries(commands).filter(([name]) => isNightly || QUICK.includes(name))
}
