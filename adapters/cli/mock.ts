import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { corsHeaders } from '../../src/http/cors.ts'
import { jsonReply, noContent } from '../../src/http/reply.ts'
import { bearerToken } from '../../src/http/token.ts'
import type { IncomingRequest, PlantStore, Reply } from '../../src/index.ts'
import { enableGracefulClose, toNodeHandler } from '../node.ts'
import { urlOf } from '../serve.ts'
import { FAILURES } from './mock/failures.ts'
import { type Demand, readDemand } from './mock/prefer.ts'
import type { Settings } from './settings.ts'

interface MockOptions extends Pick<Settings, 'cors' | 'delayMs'> {
  /** The owner of each token. */
  callers: Readonly<Record<string, string>>
  /** Takes an owner's plants back to the seed. */
  resetOwner(owner: string): void
}

/** Answers a request, or breaks its connection by `cut`. */
type AnswerOrCut = (request: IncomingRequest, cut: () => void) => Promise<Reply | undefined>

/**
 * Answers as the store does, and fails where the Prefer header of a request says so (RFC 7240). `POST /mock/reset` takes the
 * plants of its caller back to the seed.
 */
export function createMock(
  store: PlantStore,
  { delayMs, callers, cors, resetOwner }: MockOptions,
): AnswerOrCut {
  /** The requests that have just failed by the network, and are answered when they are sent again. */
  const failed = new Set<string>()
  const stopping = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stopping.abort())

  async function answer(request: IncomingRequest, cut: () => void): Promise<Reply | undefined> {
    const { method, url, headers } = request
    if (url === '/mock/reset' && /^(?:POST|OPTIONS)$/.test(method)) return reset(request)
    if (method === 'OPTIONS' || !/^\/plants(?![^/?])/.test(url)) return store.handle(request)
    let demand: Demand
    try {
      demand = readDemand(headers.get('prefer') ?? '')
    } catch (error) {
      const { message } = error as Error
      return jsonReply(JSON.stringify({ error: 40_000, message }), {}, 400)
    }
    const { delay, preference } = demand
    const [least, most] = demand.delayMs ?? delayMs
    await sleep(least + Math.random() * (most - least))
    const reply = await (preference ? fail(request, preference, cut) : store.handle(request))
    if (reply && delay) {
      const { 'preference-applied': failure } = reply.headers
      reply.headers['preference-applied'] = `delay=${delay}${failure ? `, ${failure}` : ''}`
    }
    return reply
  }

  async function fail(incoming: IncomingRequest, preference: string, cut: () => void) {
    const { request, key } = await withKey(incoming)
    const isAgain = failed.delete(`${key} ${preference}`)
    if (!isAgain && preference.startsWith('plant-store=')) failed.add(`${key} ${preference}`)
    const isApplied = /=(?:applied-|truncated)/.test(preference)
    const reply = isAgain || isApplied ? (await store.handle(request))! : undefined
    // Where the store refuses the request, nothing is left open.
    if (reply && (isAgain || reply.status >= 400)) return reply
    const signal = AbortSignal.any([request.toSignal!(), stopping.signal])
    const failure = await FAILURES[preference]!({ request, reply, cut, signal })
    failure.headers['preference-applied'] = preference
    return failure
  }

  async function reset(request: IncomingRequest): Promise<Reply | undefined> {
    const { method, headers } = request
    const token = bearerToken(headers) ?? ''
    // The store answers a preflight, and says what is wrong with the token.
    if (method === 'OPTIONS' || !Object.hasOwn(callers, token)) {
      return store.handle({ ...request, url: '/plants' })
    }
    resetOwner(callers[token]!)
    const start = `${headers.get('authorization')} `
    for (const key of failed) if (key.startsWith(start)) failed.delete(key)
    return noContent()
  }

  return async (request, cut) => {
    const reply = await answer(request, cut)
    // The page of a proxy has no such headers.
    if (reply && cors && reply.headers['content-type'] !== 'text/html') {
      Object.assign(reply.headers, corsHeaders({ origin: '*' }, request, reply.headers.allow))
    }
    return reply
  }
}

/** Two requests with one key are the same request, sent again. It begins with the token. A body can be read only once. */
async function withKey(request: IncomingRequest) {
  const { method, url, headers } = request
  const key = `${headers.get('authorization') ?? ''} ${method} ${url}`
  if (method !== 'POST') return { request, key }
  // More than the store reads by default.
  const body = await request.readBody(64 * 1024)
  const text = Buffer.from((body ?? '') as Uint8Array).toString()
  return { request: { ...request, readBody: () => body }, key: `${key} ${text}` }
}

/** Does what `serve` does, in a server whose connections can be cut. */
export async function serveMock(
  store: Pick<PlantStore, 'notFound' | 'close'> & { handle: AnswerOrCut },
  { port, hostname }: { port: number; hostname: string },
): Promise<{ url: string }> {
  // Node's 5 s would close a connection at the moment at which a client uses it again.
  const server = createServer({ keepAliveTimeout: 65_000 }, (message, response) => {
    const cut = () => void message.socket.destroy()
    toNodeHandler({ ...store, handle: (request) => store.handle(request as IncomingRequest, cut) })(
      message,
      response,
    )
  })
  server.listen(port, hostname)
  await once(server, 'listening')
  enableGracefulClose(server, store)
  return { url: urlOf(hostname, (server.address() as AddressInfo).port) }
}
