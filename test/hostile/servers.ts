import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PlantStore } from '../../src/index.ts'
import { listen } from '../shared/listen.ts'
import { storage, verify } from './store.ts'

/**
 * Starts a server on a free port.
 *
 * @param name `<module>#<export>` of those that the benchmark measures, or `bare`
 */
export async function startServer(name: string, store: PlantStore): Promise<number> {
  if (name === 'bare') return (await listen(answerByHand)).port
  const [module, start] = name.split('#')
  return (await import(`../bench/servers/${module}.ts`))[start!](store)
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
