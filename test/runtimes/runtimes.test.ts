import { afterAll, beforeAll, describe, it } from 'vitest'
import { type TestPlantAdapterOptions, testPlantAdapter } from '../../src/testing.ts'
import { limits } from '../frameworks/limits.ts'
import { isNightly } from '../shared/nightly.ts'
import { type Program, startProgram } from './program.ts'

/** Each host, the command that starts an entry of its kind, and what it cannot do. */
const hosts: [name: string, command: string, options?: TestPlantAdapterOptions][] = [
  ['Node', 'node test/runtimes/entries/serve.ts node'],
  ['Bun', 'bun test/runtimes/entries/serve.ts bun', { limits: limits.bun }],
  [
    'Deno',
    'deno run --allow-net --allow-env test/runtimes/entries/serve.ts deno',
    // It neither tells the version nor can reset.
    {
      versions: ['1.0', '1.1', '2'],
      limits: {
        ...limits.deno,
        'incomplete-body over HTTP/2': {
          sometimes: 'Deno takes a reset for the end of the body: hyperium/hyper#3681',
          seen: 'The body must be []',
        },
      },
    },
  ],
  [
    // It shows that plant-store/node can do what Deno.serve cannot.
    'Deno, node:http',
    'deno run --allow-net --allow-env test/runtimes/entries/serve.ts node',
    { versions: ['1.0'] },
  ],
  [
    'Elysia',
    'bun test/runtimes/entries/elysia.ts',
    {
      limits: {
        ...limits.elysia,
        'verifier-request': 'app.mount takes the mount path off the URL',
      },
    },
  ],
  ['Elysia, routes', 'bun test/runtimes/entries/elysia-routes.ts', { limits: limits.elysia }],
]

/** One of each runtime. The others share all but their own line with one of these, or with test/adapters/mounts.test.ts. */
const QUICK = ['Node', 'Bun', 'Deno']
const tested = hosts.filter(([name]) => isNightly || QUICK.includes(name))

describe.each(tested)('The contract, in %s', (name, command, options) => {
  const mountPath = name.startsWith('Elysia') ? '/api' : ''
  let program: Program
  beforeAll(async () => {
    program = await startProgram(command)
  })
  afterAll(() => program?.stop())

  testPlantAdapter({ describe, it }, () => ({ url: program.url + mountPath }), options)
})
