import type { PlantStorage } from '../../../src/plant-storage.ts'
import { assertJson, create, failure, list, type Reply, remove } from './by-hand.ts'
import * as contract from './contract.ts'
import { serveFetch } from './serve-fetch.ts'

/** The hand-written floor for runtimes with `fetch` handlers. */
export function listen(storage: PlantStorage): Promise<number> {
  return serveFetch(bareFetch(storage))
}

export function bareFetch(storage: PlantStorage) {
  return (request: Request): Response | Promise<Response> => {
    try {
      const reply = answer(storage, request)
      return reply instanceof Promise
        ? reply.then(toResponse, (error) => toResponse(failure(error)))
        : toResponse(reply)
    } catch (error) {
      return toResponse(failure(error))
    }
  }
}

function answer(storage: PlantStorage, request: Request): Reply | Promise<Reply> {
  const { method, headers } = request
  const { pathname, searchParams } = new URL(request.url)
  if (!pathname.startsWith('/plants')) throw new contract.Failure('route_not_found')
  const owner = contract.authenticate(headers.get('authorization'))
  if (pathname.startsWith('/plants/')) {
    if (method === 'DELETE') return remove(storage, owner, pathname.slice('/plants/'.length))
  } else if (method === 'GET') {
    return list(storage, owner, searchParams)
  } else if (method === 'POST') {
    assertJson(headers.get('content-type'), headers.get('content-encoding'))
    return read(request).then((bytes) => create(storage, owner, bytes))
  }
  throw new contract.Failure('method_not_allowed')
}

async function read(request: Request): Promise<Uint8Array | null> {
  const length = request.headers.get('content-length')
  // A server has made sure that no more comes than was announced.
  if (length !== null) {
    return Number(length) > contract.MAX_BODY_BYTES
      ? null
      : new Uint8Array(await request.arrayBuffer())
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > contract.MAX_BODY_BYTES) return null
    chunks.push(chunk)
  }
  return new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer())
}

function toResponse({ status, body, headers }: Reply): Response {
  const type = body === null ? undefined : { 'content-type': 'application/json' }
  return new Response(body, { status, headers: { ...type, ...headers, ...contract.EVERY_REPLY } })
}
