import { IttyRouter } from 'itty-router/IttyRouter'
import { fromRequest } from './adapter/from-request.ts'
import { toResponse } from './adapter/to-response.ts'
import type { AuthVerifier, Caller } from './auth-verifier.ts'
import { checkCaller, createAuthenticate } from './http/authenticate.ts'
import { assertConnected, waitFor } from './http/client-gone.ts'
import { createExchange, type Exchange } from './http/exchange.ts'
import { Failure } from './http/failure.ts'
import { jsonReply, noContent } from './http/json-reply.ts'
import { readJsonBody } from './http/read-body.ts'
import { createResponder } from './http/respond.ts'
import { createMatchRoute } from './http/routes.ts'
import type { IncomingRequest } from './incoming-request.ts'
import { assertMethods, kindOf } from './lib/arguments.ts'
import { parseIdInPath } from './lib/int64.ts'
import type { AwaitUsing } from './lib/promises.ts'
import { assertRuntime } from './lib/runtime.ts'
import { type PlantStoreOptions, resolveOptions } from './options.ts'
import { createPageQueue } from './overload/page-queue.ts'
import { withOverloadProtection } from './overload.ts'
import type { PlantStorage } from './plant-storage.ts'
import { checkResults } from './plants/check-results.ts'
import { closeWhenIdle } from './plants/close-when-idle.ts'
import { limitTime } from './plants/limit-time.ts'
import { listPlants, type PageReader } from './plants/list-plants.ts'
import { parseListQuery } from './plants/list-query.ts'
import { pageSizes } from './plants/page-size.ts'
import { parseNewPlant } from './plants/parse-new-plant.ts'
import { toPlant } from './plants/plants-json.ts'
import type { Reply } from './reply.ts'

/** The whole service, as a value: mount its `fetch`, or pass it to an adapter. */
export interface PlantStore extends AwaitUsing {
  /**
   * Serves a Fetch request. Any failure is a Response with an Error body. Runtimes that serve `export default` pass two
   * more arguments: the `waitUntil` of the last one keeps a Worker alive for the request and its hooks.
   *
   * @param request its path is compared as the URL holds it, after the option `basePath`
   * @param environment not used
   * @param context its `waitUntil` is called with the response, and with the work of `onError` and `onResponse`.
   *   Default: none
   * @throws (rejects with) TypeError when the argument isn't a `Request`. The message names the right adapters
   */
  fetch(request: Request, environment?: unknown, context?: FetchContext): Promise<Response>
  /**
   * Serves a request for an adapter, without building a Response.
   *
   * @returns the reply, or `undefined` if no route matches. Then run the host's next handler, or send the
   *   reply of `notFound`
   * @throws (rejects with) TypeError when the argument isn't a request
   */
  handle(request: Request | IncomingRequest): Promise<Reply | undefined>
  /**
   * The store for a caller whom the host app has authenticated: nothing reads `Authorization`. It costs nothing to make, so
   * make one a request.
   *
   * @throws TypeError when the caller is not `{ owner, scopes? }`
   *
   * @example
   * ```ts
   * const response = await store.as({ owner: session.user.id }).fetch(request)
   * ```
   */
  as(caller: Caller): PlantStoreOf
  /** Returns the 404 reply for a request that `handle` has no route for. */
  notFound(request: Request | IncomingRequest): Promise<Reply>
  /**
   * Closes the storage, once, when the calls of it that have begun are done, even those that have timed out. Requests
   * that need the storage after that get a 503.
   */
  close(): Promise<void>
}

/** The store for one caller, as `store.as(caller)` returns it. Every adapter takes it. */
export type PlantStoreOf = Pick<PlantStore, 'fetch' | 'handle' | 'notFound'>

/** What a runtime passes to `fetch` beside the request. Cloudflare's `ExecutionContext` fits. */
export interface FetchContext {
  waitUntil?(work: Promise<unknown>): void
}

type PlantOperation = (exchange: Exchange) => Promise<Reply>

/**
 * Creates the plant catalogue on a storage and a token check.
 *
 * @param storage keeps the plants: one of `plant-store/storage/…`, or your own `PlantStorage`
 * @param authVerifier resolves tokens: one of `plant-store/auth/…`, or your own `AuthVerifier`
 * @param options see `PlantStoreOptions` for units and defaults
 * @throws TypeError or RangeError when an argument or an option is wrong
 *
 * @example
 * ```ts
 * const store = createPlantStore(memoryStorage(), staticTokens({ s3cret: 'alice' }))
 * const response = await store.fetch(new Request('http://localhost/plants', {
 *   headers: { authorization: 'Bearer s3cret' },
 * }))
 * ```
 */
export function createPlantStore(
  storage: PlantStorage,
  authVerifier: AuthVerifier,
  options: PlantStoreOptions = {},
): PlantStore {
  assertRuntime()
  assertArguments(storage, authVerifier)
  const resolved = resolveOptions(options)
  const { basePath, maxBodyBytes, maxLimit, timeoutMs, maxConcurrentCalls } = resolved
  const closable = closeWhenIdle(storage)
  const limited = withOverloadProtection(closable, { maxConcurrentCalls })
  const plants = checkResults(limitTime(limited, timeoutMs))
  // They wait in a queue of their own: refusing one would break a list that has begun.
  const laterPages = checkResults(limitTime(closable, timeoutMs, true))
  const readInTurn = createPageQueue(maxConcurrentCalls)
  const sizes = pageSizes(maxBodyBytes)
  const authenticate = createAuthenticate(authVerifier, timeoutMs)
  const respond = createResponder(resolved)

  const matchRoute = createMatchRoute<PlantOperation>(
    IttyRouter()
      .get('/plants', list)
      .head('/plants', list)
      .post('/plants', create)
      .delete('/plants/:id', remove),
    basePath,
  )

  async function create(exchange: Exchange): Promise<Reply> {
    const { request, context } = exchange
    const owner = await authenticate(exchange, 'plants:write')
    const plant = parseNewPlant(await readJsonBody(request, maxBodyBytes))
    if (!(await plants.create(owner, plant, context))) throw new Failure('duplicate_id')
    return jsonReply(JSON.stringify(toPlant(plant)))
  }

  async function list(exchange: Exchange): Promise<Reply> {
    const owner = await authenticate(exchange, 'plants:read')
    const query = parseListQuery(exchange.target.query, maxLimit)
    return await listPlants(pageReader(owner, exchange), query)
  }

  async function remove(exchange: Exchange): Promise<Reply> {
    const owner = await authenticate(exchange, 'plants:write')
    const id = parseIdInPath(exchange.target.id!)
    if (id === undefined) throw new Failure('invalid_id')
    if (!(await plants.delete(owner, id, exchange.context))) throw new Failure('plant_not_found')
    return noContent()
  }

  function pageReader(owner: string, { request, context }: Exchange): PageReader {
    return {
      sizes,
      readFirst: (query) => waitFor(request, plants.list(owner, query, context)),
      readLater: (query) =>
        readInTurn(owner, context, () => {
          assertConnected(request)
          return laterPages.list(owner, query, context)
        }),
    }
  }

  async function handle(input: Request | IncomingRequest): Promise<Reply | undefined> {
    const request = toIncoming(input)
    const match = matchRoute(request.method, request.url)
    if (!match) return undefined
    const exchange = createExchange(request, match)
    return await respond(exchange, match.operation ?? refuseMethod)
  }

  async function notFound(input: Request | IncomingRequest): Promise<Reply> {
    return await respond(createExchange(toIncoming(input)), refuseRoute)
  }

  async function respondTo(incoming: IncomingRequest): Promise<Response> {
    return toResponse((await handle(incoming)) ?? (await notFound(incoming)))
  }

  async function respondWithin(incoming: IncomingRequest, context: FetchContext | undefined) {
    if (typeof context?.waitUntil !== 'function') return respondTo(incoming)
    incoming.waitUntil = (work) => context.waitUntil!(work)
    const response = respondTo(incoming)
    // When a client disconnects, workerd runs nothing more of its request otherwise: not even finally.
    context.waitUntil(response)
    return response
  }

  function as(value: Caller): PlantStoreOf {
    const checked = checkCaller(value, 'store.as takes { owner }')
    const signedIn = (request: Request | IncomingRequest): IncomingRequest => ({
      ...toIncoming(request),
      caller: () => checked,
    })
    return {
      fetch: async (request, _environment, context) => respondWithin(signedIn(request), context),
      handle: async (request) => handle(signedIn(request)),
      notFound: async (request) => notFound(signedIn(request)),
    }
  }

  return {
    handle,
    notFound,
    as,
    fetch: async (request, _environment, context) => respondWithin(toIncoming(request), context),
    close: closable.close,
    [Symbol.asyncDispose]: closable.close,
  }
}

async function refuseMethod({ request, target }: Exchange): Promise<Reply> {
  const headers = { allow: target.allow! }
  if (request.method === 'OPTIONS') return noContent(headers)
  throw new Failure('method_not_allowed', { headers })
}

async function refuseRoute(): Promise<Reply> {
  throw new Failure('route_not_found')
}

/** Runtime checks for JavaScript callers. */
function assertArguments(storage: PlantStorage, authVerifier: AuthVerifier): void {
  const expectation = 'storage must be a PlantStorage, such as memoryStorage() returns'
  assertMethods(expectation, storage, ['create', 'list', 'delete'])
  if (typeof authVerifier !== 'function') {
    throw new TypeError(
      `authVerifier must be a function, such as staticTokens({ … }) returns; got ${kindOf(authVerifier)}`,
    )
  }
}

function toIncoming(input: Request | IncomingRequest): IncomingRequest {
  const { readBody, url, headers } = Object(input)
  if (typeof readBody === 'function') return input as IncomingRequest
  if (typeof url === 'string' && typeof headers?.get === 'function') {
    return fromRequest(input as Request)
  }
  if (typeof input === 'string' || 'href' in Object(input)) {
    throw new TypeError(
      'The plant store takes a Fetch Request; got a URL. Pass new Request(url, { headers: { authorization } })',
    )
  }
  throw new TypeError(
    'The plant store takes a Fetch Request. Mount it with toExpressHandler(store) of plant-store/express or toNodeHandler(store) of plant-store/node',
  )
}
