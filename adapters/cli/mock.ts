import { setTimeout as sleep } from 'node:timers/promises'
import type { IncomingRequest, PlantStore, Reply } from '../../src/index.ts'
import { errorReply, jsonErrorReply, methodNotAllowed } from './error-reply.ts'
import { type ChanceOptions, drawChances } from './mock/chances.ts'
import { CHAOS, type Demand, demandOf } from './mock/demand.ts'
import { identifyRequest } from './mock/identify-request.ts'
import { fail } from './mock/outcomes.ts'
import { parsePrefer } from './mock/prefer.ts'
import { type OperationName, operationOf } from './operation.ts'
import { pathOf } from './path.ts'

export interface MockOptions {
  chances: ChanceOptions
  /** The owner of each token. */
  callers: Readonly<Record<string, string>>
  /** Whether pages of other origins may call the mock. */
  cors: boolean
  /** Takes an owner's plants back to the seed. */
  resetOwner(owner: string): void
  /** Breaks the connection of the request that is being handled. */
  cut(): void
  log(line: string): void
}

/**
 * Wraps a store so that requests fail on demand: by the preferences `code`, `example` and `plant-store` of a Prefer header
 * (RFC 7240), or by chance. `POST /mock/reset` takes the plants of its caller back to the seed.
 */
export function withMock<Store extends Pick<PlantStore, 'handle'>>(
  store: Store,
  { chances, callers, cors, resetOwner, cut, log }: MockOptions,
): Store {
  /** The number of times that each request has come. Keys begin with the Authorization header. */
  const counts = new Map<string, number>()
  function count(key: string): number {
    const next = (counts.get(key) ?? 0) + 1
    counts.set(key, next)
    return next
  }

  async function handle(incoming: IncomingRequest): Promise<Reply | undefined> {
    if (pathOf(incoming.url) === '/mock/reset') return reset(incoming)
    const operation = operationOf(incoming)
    if (operation === undefined) return store.handle(incoming)

    const { request, key } = await identifyRequest(incoming)
    const drawn = drawChances(operation, `${key} ${count(key)}`, chances)
    await sleep(drawn.delayMs)
    const preferences = parsePrefer(request.headers.get('prefer') ?? '')
    let demand: Demand | undefined
    try {
      demand = demandOf(preferences, operation, drawn)
    } catch (error) {
      const { message } = error as Error
      return withCors(jsonErrorReply(400, { error: 40_000, message }))
    }
    if (!demand || isSecondTry(key, demand)) return store.handle(request)
    return meet(demand, request, operation)
  }

  /** Whether a request has just had the outcome that it asks for: then the store answers it. */
  function isSecondTry(key: string, { cause, outcome }: Demand): boolean {
    return outcome !== undefined && cause !== CHAOS && count(`${key} ${cause}`) % 2 === 0
  }

  async function meet(
    { cause, error, outcome }: Demand,
    request: IncomingRequest,
    operation: OperationName,
  ): Promise<Reply> {
    const carryOut = async () => (await store.handle(request))!
    const { reply, isFailure } = error
      ? { reply: errorReply(error, operation), isFailure: true }
      : await fail(outcome!, { operation, carryOut, cut })
    if (!isFailure) return reply
    const why = cause === CHAOS ? `chaos: ${error ?? outcome}` : `Prefer: ${cause}`
    log(`${request.method} ${pathOf(request.url)} ${why}`)
    if (cause !== CHAOS) reply.headers['preference-applied'] = cause
    return withCors(reply)
  }

  async function reset(request: IncomingRequest): Promise<Reply | undefined> {
    const { method, headers } = request
    if (method === 'OPTIONS') return store.handle({ ...request, url: '/plants' })
    if (method !== 'POST') return withCors(methodNotAllowed('POST, OPTIONS'))
    const authorization = headers.get('authorization') ?? ''
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? []
    // The store says what is wrong with the token.
    if (!Object.hasOwn(callers, token)) return store.handle({ ...request, url: '/plants' })
    resetOwner(callers[token]!)
    for (const key of counts.keys()) if (key.startsWith(`${authorization} `)) counts.delete(key)
    log('POST /mock/reset')
    return withCors({ status: 204, headers: { 'cache-control': 'no-store' }, body: null })
  }

  function withCors(reply: Reply): Reply {
    if (cors) Object.assign(reply.headers, CORS_HEADERS)
    return reply
  }

  return { ...store, handle }
}

const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Link, Preference-Applied, Retry-After, WWW-Authenticate',
}
