import type { MaybePromise } from '../../../src/lib/promises.ts'
import type { StoredPlant } from '../../../src/plant.ts'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import * as contract from './contract.ts'

/** Shared by the hand-written servers of all runtimes: the work between the request and its reply. */
export interface Reply {
  status: number
  /** JSON. */
  body: string | null
  headers?: Record<string, string>
}

/** A reply, or the function that makes it of the body. What storages answer at once costs no promise. */
type Answer = MaybePromise<Reply> | ((bytes: Uint8Array) => MaybePromise<Reply>)

export function answer(
  storage: PlantStorage,
  method: string,
  path: string,
  query: string,
  header: (name: string) => string | null | undefined,
): Answer {
  const isPlant = path.startsWith('/plants/')
  if (!isPlant && path !== '/plants') return failure(404)
  const owner = contract.ownerOf(header('authorization'))
  if (owner === undefined) return failure(401, contract.CHALLENGE)
  if (isPlant && method === 'DELETE') return remove(storage, owner, path.slice('/plants/'.length))
  if (!isPlant && method === 'GET') return list(storage, owner, new URLSearchParams(query))
  if (isPlant || method !== 'POST') return failure(405)
  const isJson = /^application\/json[ \t]*(?:;|$)/i.test(header('content-type') ?? '')
  if (!isJson || (header('content-encoding') ?? 'identity') !== 'identity') return failure(415)
  // No more comes than is announced. A chunked body is refused.
  const isSmall = Number(header('content-length') ?? Number.NaN) <= contract.MAX_BODY_BYTES
  return isSmall ? (bytes) => create(storage, owner, bytes) : failure(413)
}

function failure(status: number, headers?: Record<string, string>): Reply {
  const body = JSON.stringify({ error: status, message: `The request failed with ${status}.` })
  return { status, body, headers }
}

function list(storage: PlantStorage, owner: string, query: URLSearchParams): MaybePromise<Reply> {
  const [text = '', ...more] = query.getAll('limit')
  if (more.length > 0 || !contract.LIMIT.test(text)) return failure(400)
  const limit = Number(text)
  return then(storage.list(owner, { limit: limit + 1 }), (found) => {
    const { page, link } = contract.toPage(found, limit)
    const body = JSON.stringify(page.map(contract.toPlant))
    return { status: 200, body, headers: link === undefined ? undefined : { link } }
  })
}

function create(storage: PlantStorage, owner: string, bytes: Uint8Array): MaybePromise<Reply> {
  const plant = parseNewPlant(bytes)
  if (!plant) return failure(400)
  return then(storage.create(owner, plant), (isCreated) =>
    isCreated ? { status: 200, body: JSON.stringify(contract.toPlant(plant)) } : failure(400),
  )
}

function remove(storage: PlantStorage, owner: string, id: string): MaybePromise<Reply> {
  if (!contract.ID.test(id)) return failure(400)
  return then(storage.delete(owner, BigInt(id)), (isDeleted) =>
    isDeleted ? { status: 204, body: null } : failure(404),
  )
}

function then<T>(value: MaybePromise<T>, toReply: (value: T) => Reply): MaybePromise<Reply> {
  return value instanceof Promise ? value.then(toReply) : toReply(value as T)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
const storable = new RegExp(contract.STORABLE_TEXT, 'u')
const isText = (value: unknown) => typeof value === 'string' && storable.test(value)

/** Parses a NewPlant and checks it. */
function parseNewPlant(bytes: Uint8Array): StoredPlant | undefined {
  try {
    const { id, name, tag } = JSON.parse(utf8.decode(bytes))
    // Larger ids are not exact in a double, and never so in what is measured.
    if (!Number.isSafeInteger(id) || !isText(name)) return undefined
    return tag === undefined || isText(tag) ? { id: BigInt(id), name, tag } : undefined
  } catch {
    return undefined
  }
}

/** The floor of runtimes with `fetch` handlers. */
export const listen = (storage: PlantStorage) => serveFetch(bareFetch(storage))

type Handler = (request: Request) => Response | Promise<Response>

/** Serves a `fetch` handler with the runtime's own server; on Node with Hono's. */
export async function serveFetch(fetch: Handler): Promise<number> {
  const address = { hostname: '127.0.0.1', port: 0 }
  const { Bun, Deno } = globalThis as any
  if (Bun) return Bun.serve({ ...address, fetch }).port
  if (Deno) return Deno.serve({ ...address, onListen() {} }, fetch).addr.port
  const { serve } = await import('@hono/node-server')
  return new Promise((resolve) => serve({ ...address, fetch }, ({ port }) => resolve(port)))
}

export function bareFetch(storage: PlantStorage): Handler {
  return (request) => {
    const { method, headers } = request
    const { pathname, search } = new URL(request.url)
    const header = (name: string) => headers.get(name)
    const answered = answer(storage, method, pathname, search, header)
    if (typeof answered !== 'function') return toResponse(answered as Reply)
    const reply = request.arrayBuffer().then((bytes) => answered(new Uint8Array(bytes)))
    return reply.then(toResponse)
  }
}

function toResponse({ status, body, headers }: Reply): Response {
  const type = body === null ? undefined : { 'content-type': 'application/json' }
  return new Response(body, { status, headers: { ...type, ...headers, ...contract.EVERY_REPLY } })
}
