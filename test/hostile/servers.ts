import type { IncomingMessage, ServerResponse } from 'node:http'
import { toNodeHandler } from '../../adapters/node.ts'
import type { PlantStore } from '../../src/index.ts'
import { listen } from '../shared/listen.ts'
import { storage, verify } from './store.ts'

/** Starts a server of the store on a free port, by the name that `target.ts` gives it. */
export const servers: Record<string, (store: PlantStore) => Promise<number>> = {
  async serve(store) {
    const runtime = 'Bun' in globalThis ? 'bun' : 'Deno' in globalThis ? 'deno' : 'node'
    const { serve } = await import(`../../adapters/${runtime}.ts`)
    return (await serve(store, { port: 0, graceMs: 500 })).port
  },
  handler: async (store) => (await listen(toNodeHandler(store))).port,
  async express(store) {
    const { default: express } = await import('express')
    const { toExpressHandler } = await import('../../adapters/express.ts')
    return (await listen(express().use(toExpressHandler(store)))).port
  },
  async fastify(store) {
    const { default: Fastify } = await import('fastify')
    const { toFastifyPlugin } = await import('../../adapters/fastify.ts')
    const app = Fastify()
    app.register(toFastifyPlugin(store))
    return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  },
  bare: async () => (await listen(answerByHand)).port,
}

/** What any server on node:http pays for the same connections. Its tokens are `now` and `good`, which need no Request. */
async function answerByHand(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const token = request.headers.authorization?.slice('Bearer '.length)
  const caller = token && (await verify(token, {} as never))
  if (!caller) return send(response, 401, {})
  if (request.method === 'POST') return create(request, response, caller.owner)
  const plants = await storage.list(caller.owner, { limit: 100 })
  send(
    response,
    200,
    plants.map(({ name, tag }) => ({ name, tag })),
  )
}

function create(request: IncomingMessage, response: ServerResponse, owner: string): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('error', () => {})
  request.on('end', async () => {
    try {
      const { id, name } = JSON.parse(Buffer.concat(chunks).toString())
      await storage.create(owner, { id: BigInt(id), name: String(name) })
      send(response, 200, { name })
    } catch {
      send(response, 400, {})
    }
  })
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const json = JSON.stringify(body)
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }
  response.writeHead(status, headers).end(json)
}
