import { storage, verify } from '../store.ts'

const MAX_BODY_BYTES = 1024 * 1024

/** A Fetch handler by hand, which does the work of the store and no more. */
export async function respond(request: Request): Promise<Response> {
  try {
    const token = request.headers.get('authorization')?.slice('Bearer '.length)
    const caller = token && (await verify(token, { request }))
    if (!caller) return json(401, {})
    if (request.method === 'POST') return create(request, caller.owner)
    const query = new URLSearchParams(request.url.split('?')[1])
    const limit = Math.min(Number(query.get('limit') ?? 100), 100) || 0
    const plants = await storage.list(caller.owner, { limit })
    return json(
      200,
      plants.map(({ name, tag }) => ({ name, tag })),
    )
  } catch (error) {
    // The store's default `onError` logs too.
    console.error(error)
    return json(500, {})
  }
}

async function create(request: Request, owner: string): Promise<Response> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BODY_BYTES) return json(413, {})
    chunks.push(chunk)
  }
  try {
    const { id, name } = JSON.parse(Buffer.concat(chunks).toString())
    await storage.create(owner, { id: BigInt(id), name: String(name) })
    return json(200, { name })
  } catch {
    return json(400, {})
  }
}

function json(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json' },
  })
}
