// Serves as an app does whose middleware sets a context: `fetch` by store.fetch, `adapter` by the adapter.
import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer } from 'node:http'
import { serve } from '@hono/node-server'
import { toBunHandler } from '../../../adapters/bun.ts'
import { toNodeHandler } from '../../../adapters/node.ts'
import { createPlantStore } from '../../../src/index.ts'

/** Whose request the code runs for, as middleware sets it. */
const current = new AsyncLocalStorage<string>()

/** Prints where the code runs, for whose request, and for whose it runs by the context. */
function note(place: string, owner: string | undefined): void {
  console.log(`${place} ${owner} ${current.getStore()}`)
}

const ownerOf = ({ headers }: Pick<Request, 'headers'>) =>
  headers.get('authorization')!.replace('Bearer ', '')

const store = createPlantStore(
  {
    create: () => true,
    delete: () => true,
    async list(owner, { after = 0n, limit }) {
      note('storage', owner)
      await new Promise((resolve) => setTimeout(resolve, 1))
      note('storage', owner)
      if (owner === 'broken') throw new Error('The storage is broken')
      const name = 'x'.repeat(10_000)
      // Connections buffer megabytes, so only an endless list is sure to be aborted.
      const left = owner === 'gone' ? limit : 300 - Number(after)
      const length = Math.min(left, limit)
      return Array.from({ length }, (_, index) => ({ id: after + BigInt(index + 1), name }))
    },
  },
  async (token) => {
    note('verifier', token)
    await new Promise((resolve) => setTimeout(resolve, 1))
    note('verifier', token)
    return { owner: token }
  },
  {
    onResponse: ({ owner, outcome }) => note(outcome, owner),
    onError: (_error, { request }) => note('onError', ownerOf(request)),
  },
)

const [, , face] = process.argv
const { Bun, Deno } = globalThis as any
const run = <T>(owner: string | null, respond: () => T) =>
  current.run(owner!.replace('Bearer ', ''), respond)

function fetchInContext(fetch: (request: Request) => Response | Promise<Response>) {
  return (request: Request) => run(request.headers.get('authorization'), () => fetch(request))
}

if (Bun) {
  const fetch = fetchInContext(face === 'fetch' ? store.fetch : toBunHandler(store))
  console.log(String(Bun.serve({ port: 0, hostname: '127.0.0.1', fetch }).url))
} else if (face === 'adapter') {
  const handler = toNodeHandler(store)
  const server = createServer((request, response) =>
    run(request.headers.authorization!, () => handler(request, response)),
  )
  server.listen(0, () => console.log(`http://127.0.0.1:${(server.address() as any).port}`))
} else if (Deno) {
  Deno.serve({ port: 0, hostname: '127.0.0.1' }, fetchInContext(store.fetch))
} else {
  serve({ port: 0, fetch: fetchInContext(store.fetch) }, ({ port }) =>
    console.log(`http://127.0.0.1:${port}`),
  )
}
