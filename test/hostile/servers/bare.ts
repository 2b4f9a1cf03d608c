import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen as listenOn } from '../../shared/listen.ts'
import { storage, verify } from '../store.ts'

const MAX_BODY_BYTES = 1024 * 1024

/** node:http by hand: what any server pays for the same connections. Its tokens are `now` and `good`, which need no Request. */
export async function listen(): Promise<number> {
  return (await listenOn(answer)).port
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const token = request.headers.authorization?.slice('Bearer '.length)
  const caller = token && (await verify(token, {} as never))
  if (!caller) return send(response, 401, {})
  if (request.method === 'POST') return create(request, response, caller.owner)
  const limit = Number(new URLSearchParams(request.url!.split('?')[1]).get('limit') ?? 100)
  const query = { limit: Math.min(limit, 100) || 0 }
  const plants = await storage.list(caller.owner, query)
  send(
    response,
    200,
    plants.map(({ name, tag }) => ({ name, tag })),
  )
}

function create(request: IncomingMessage, response: ServerResponse, owner: string): void {
  const chunks: Buffer[] = []
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= MAX_BODY_BYTES) chunks.push(chunk)
  })
  request.on('error', () => {})
  request.on('end', async () => {
    if (size > MAX_BODY_BYTES) return send(response, 413, {})
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
