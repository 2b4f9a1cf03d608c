import type { ErrorName } from '../../../src/errors.ts'
import type { StoredPlant } from '../../../src/plant.ts'
import type { MapStorage } from '../map-storage.ts'
import { parseNewPlantJson, problemOf } from '../servers/by-hand.ts'
import {
  BEARER,
  CURSOR,
  EVERY_REPLY,
  errorBody,
  idOf,
  MAX_BODY_BYTES,
  MAX_LIMIT,
  nextLink,
  owners,
  statusOf,
} from '../servers/contract.ts'

/** The floor of a runtime with `fetch` handlers: the plant store's work by hand, with no library. */
export function bareFetch(storage: MapStorage): (request: Request) => Response | Promise<Response> {
  return (request) => {
    const url = new URL(request.url)
    if (url.pathname !== '/plants') return fail('route_not_found')

    const token = BEARER.exec(request.headers.get('authorization') ?? '')?.[1]
    if (token === undefined) {
      return fail('missing_token', { 'www-authenticate': 'Bearer realm="plants"' })
    }
    const owner = owners.get(token)
    if (owner === undefined) {
      return fail('invalid_token', {
        'www-authenticate': 'Bearer realm="plants", error="invalid_token"',
      })
    }
    if (request.method === 'GET') return list(storage, owner, url.searchParams)
    if (request.method === 'POST') return create(storage, owner, request)
    return fail('method_not_allowed')
  }
}

function list(storage: MapStorage, owner: string, parameters: URLSearchParams): Response {
  const [text, ...more] = parameters.getAll('limit')
  if (text !== undefined && (more.length > 0 || !/^(?:0|[1-9]\d{0,9})$/.test(text))) {
    return fail('invalid_limit')
  }
  const limit = text === undefined ? MAX_LIMIT : Number(text)
  if (limit > MAX_LIMIT) return fail('invalid_limit')
  const cursors = parameters.getAll('cursor')
  if (cursors.length > 1 || (cursors[0] !== undefined && !CURSOR.test(cursors[0]))) {
    return fail('invalid_cursor')
  }
  const after = idOf(cursors[0])

  const found = limit === 0 ? [] : storage.list(owner, { after, limit: limit + 1 })
  const page = found.length > limit ? found.slice(0, limit) : found
  const body = JSON.stringify(page.map(({ name, tag }) => ({ name, tag })))
  return send(200, body, found.length > limit ? { link: nextLink(limit, page) } : undefined)
}

async function create(storage: MapStorage, owner: string, request: Request): Promise<Response> {
  const type = request.headers.get('content-type')
  const encoding = request.headers.get('content-encoding')
  if (
    type === null ||
    !/^application\/json[ \t]*(?:;|$)/i.test(type) ||
    (encoding !== null && encoding !== 'identity')
  ) {
    return fail('unsupported_media_type')
  }
  const bytes = await read(request)
  if (bytes === null) return fail('body_too_large')
  let value: unknown
  try {
    value = parseNewPlantJson(bytes)
  } catch {
    return fail('malformed_json')
  }
  const problem = problemOf(value)
  if (problem) return fail('invalid_plant', undefined, problem)

  const { id, name, tag } = value as StoredPlant
  if (!storage.create(owner, { id, name, tag })) return fail('duplicate_id')
  return send(200, JSON.stringify({ name, tag }))
}

async function read(request: Request): Promise<Uint8Array | null> {
  const length = request.headers.get('content-length')
  // A server has made sure that no more comes than was announced.
  if (length !== null) {
    return Number(length) > MAX_BODY_BYTES ? null : new Uint8Array(await request.arrayBuffer())
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BODY_BYTES) return null
    chunks.push(chunk)
  }
  return new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer())
}

function send(status: number, body: string, more?: Record<string, string>): Response {
  return new Response(body, {
    status,
    headers: { 'content-type': 'application/json', ...more, ...EVERY_REPLY },
  })
}

function fail(name: ErrorName, headers?: Record<string, string>, message?: string): Response {
  return send(statusOf(name), JSON.stringify(errorBody(name, message)), headers)
}
