import type { MapStorage } from '../map-storage.ts'
import * as byHand from './by-hand.ts'
import * as contract from './contract.ts'
import { serveFetch } from './serve-fetch.ts'

/** The hand-written floor for runtimes with `fetch` handlers. */
export function listen(storage: MapStorage): Promise<number> {
  return serveFetch(bareFetch(storage))
}

export function bareFetch(storage: MapStorage) {
  return (request: Request): Response | Promise<Response> => {
    const { method, headers } = request
    const { pathname, search } = new URL(request.url)
    const header = (name: string) => headers.get(name)
    const answer = byHand.answer(storage, method, pathname, search, header)
    if (typeof answer !== 'function') return toResponse(answer as byHand.Reply)
    const reply = request.arrayBuffer().then((bytes) => answer(new Uint8Array(bytes)))
    return reply.then(toResponse)
  }
}

function toResponse({ status, body, headers }: byHand.Reply): Response {
  const type = body === null ? undefined : { 'content-type': 'application/json' }
  return new Response(body, { status, headers: { ...type, ...headers, ...contract.EVERY_REPLY } })
}
