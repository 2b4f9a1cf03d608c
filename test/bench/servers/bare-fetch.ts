import type { PlantStorage } from '../../../src/plant-storage.ts'
import * as byHand from './by-hand.ts'
import * as contract from './contract.ts'
import { serveFetch } from './serve-fetch.ts'

/** The hand-written floor for runtimes with `fetch` handlers. */
export function listen(storage: PlantStorage): Promise<number> {
  return serveFetch(bareFetch(storage))
}

export function bareFetch(storage: PlantStorage) {
  return (request: Request): Response | Promise<Response> => {
    const toFailure = (error: unknown) => toResponse(byHand.failure(error))
    try {
      const reply = answer(storage, request)
      return reply instanceof Promise ? reply.then(toResponse, toFailure) : toResponse(reply)
    } catch (error) {
      return toFailure(error)
    }
  }
}

function answer(storage: PlantStorage, request: Request): byHand.Reply | Promise<byHand.Reply> {
  const { method, headers } = request
  const { pathname, searchParams } = new URL(request.url)
  const isPlant = pathname.startsWith('/plants/')
  if (!isPlant && pathname !== '/plants') throw new byHand.Failure(404)
  const owner = byHand.authenticate(headers.get('authorization'))
  if (isPlant) {
    if (method === 'DELETE') return byHand.remove(storage, owner, pathname.slice('/plants/'.length))
  } else if (method === 'GET') {
    return byHand.list(storage, owner, searchParams)
  } else if (method === 'POST') {
    byHand.assertJson(headers.get('content-type'), headers.get('content-encoding'))
    return read(request).then((bytes) => byHand.create(storage, owner, bytes))
  }
  throw new byHand.Failure(405)
}

async function read(request: Request): Promise<Uint8Array | null> {
  // What is sent says how long it is, and a server has made sure that no more comes.
  const isTooLarge = Number(request.headers.get('content-length')) > contract.MAX_BODY_BYTES
  return isTooLarge ? null : new Uint8Array(await request.arrayBuffer())
}

function toResponse({ status, body, headers }: byHand.Reply): Response {
  const type = body === null ? undefined : { 'content-type': 'application/json' }
  return new Response(body, { status, headers: { ...type, ...headers, ...contract.EVERY_REPLY } })
}
