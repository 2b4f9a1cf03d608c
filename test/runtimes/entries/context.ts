// Serves as an app does whose middleware sets a context.
import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer } from 'node:http'
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

const { Bun } = globalThis as any
const run = <T>(owner: string | null, respond: () => T) =>
  current.run(owner!.replace('Bearer ', ''), respond)

if (Bun) {
  const handle = toBunHandler(store)
  const fetch = (request: Request) =>
    run(request.headers.get('authorization'), () => handle(request))
  console.log(String(Bun.serve({ port: 0, hostname: '127.0.0.1', fetch }).url))
} else {
  const handler = toNodeHandler(store)
  const server = createServer((request, response) =>
    run(request.headers.authorization!, () => handler(request, response)),
  )
  server.listen(0, () => console.log(`http://127.0.0.1:${(server.address() as any).port}`))
}
