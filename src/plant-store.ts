import { IttyRouter } from 'itty-router/IttyRouter'
import type { AuthVerifier, Caller, Scope } from './auth-verifier.ts'
import { createAnswer } from './http/answer.ts'
import { assertScope, createAuthenticate } from './http/authenticate.ts'
import { assertConnected } from './http/client-gone.ts'
import { createContext, type Exchange } from './http/exchange.ts'
import { Failure } from './http/failure.ts'
import { answerMisuse } from './http/misused-fetch.ts'
import { matchRoute, routesOf } from './http/routes.ts'
import { splitTarget } from './http/target.ts'
import { fromRequest } from './http/web-request.ts'
import { toResponse } from './http/web-response.ts'
import { withReply } from './http/with-reply.ts'
import type { IncomingRequest } from './incoming-request.ts'
import { parseIdInPath } from './lib/int64.ts'
import { kindOf } from './lib/kind-of.ts'
import { andThen, type MaybePromise } from './maybe-promise.ts'
import { type PlantStoreOptions, resolveOptions } from './options.ts'
import type { StoredPlant } from './plant.ts'
import type { PageQuery, PlantStorage } from './plant-storage.ts'
import { checkStorage } from './plants/checked-storage.ts'
import { listPlants, PAGE_SIZE } from './plants/list-plants.ts'
import { type ListQuery, parseListQuery } from './plants/list-query.ts'
import { readNewPlant } from './plants/new-plant-body.ts'
import { toPlant } from './plants/plants-json.ts'
import { jsonReply, type Reply } from './reply.ts'

/** The whole service, as a value: mount its `fetch`, or pass it to an adapter. */
export interface PlantStore {
  /**
   * Serves a Fetch request. Any failure is a Response with an Error body.
   *
   * @param request its path is compared as the URL holds it, after the option `basePath`
   * @throws (rejects with) TypeError when the argument isn't a `Request`. If Express or Node calls `fetch`
   *   as a handler, the error names the right adapter
   */
  fetch(request: Request): Promise<Response>
  /**
   * Serves a request for an adapter, without building a Response.
   *
   * @returns the reply, or `undefined` if no route matches. Then run the host's next handler, or send the
   *   reply of `notFound`
   */
  handle(request: Request | IncomingRequest): MaybePromise<Reply | undefined>
  /** Returns the 404 reply for a request that `handle` has no route for. */
  notFound(request: Request | IncomingRequest): MaybePromise<Reply>
  /** Closes the storage, once. */
  close(): Promise<void>
}

/** A request that has matched a route. */
interface Call extends Exchange {
  /** The path of the URL. If the route has an id, it is the last segment. */
  readonly path: string
  readonly query: string
}

type Operation = (call: Call) => MaybePromise<Reply>
/** An operation, given the authenticated owner. */
type AuthorizedOperation = (owner: string, call: Call) => MaybePromise<Reply>

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
  assertArguments(storage, authVerifier)
  const resolved = resolveOptions(options)
  const { basePath, maxBodyBytes, maxLimit, timeoutMs } = resolved
  const plants = checkStorage(storage, timeoutMs)
  const authenticate = createAuthenticate(authVerifier, timeoutMs)
  const answer = createAnswer(resolved)

  const routes = routesOf<Operation>(
    IttyRouter()
      .get('/plants', authorized('plants:read', list))
      .head('/plants', authorized('plants:read', list))
      .post('/plants', authorized('plants:write', create))
      .delete('/plants/:id', authorized('plants:write', remove)),
  )

  function create(owner: string, { request }: Call): MaybePromise<Reply> {
    return andThen(readNewPlant(request, maxBodyBytes), storePlant, owner)
  }

  function storePlant(plant: StoredPlant, owner: string): MaybePromise<Reply> {
    return andThen(plants.create(owner, plant), toCreated, plant)
  }

  function list(owner: string, { request, query }: Call): MaybePromise<Reply> {
    const listQuery = parseListQuery(query, maxLimit)
    function readPage(page: PageQuery) {
      // Not for the first page: on Deno, reading a Request's signal takes a large part of the CPU of a
      // short list (npm run bench -- runtimes).
      if (page.after !== listQuery.after) assertConnected(request)
      return plants.list(owner, page)
    }
    return listPlants(readPage, request.method === 'HEAD' ? forHead(listQuery) : listQuery)
  }

  function remove(owner: string, { path }: Call): MaybePromise<Reply> {
    const id = parseIdInPath(path.slice(path.lastIndexOf('/') + 1))
    if (id === undefined) throw new Failure('invalid_id')
    return andThen(plants.delete(owner, id), toDeleted)
  }

  function authorized(scope: Scope, operation: AuthorizedOperation): Operation {
    function proceed(caller: Caller, call: Call): MaybePromise<Reply> {
      call.owner = caller.owner
      assertScope(caller, scope)
      return operation(caller.owner, call)
    }
    return (call) => andThen(authenticate(call.request, call.context), proceed, call)
  }

  function handle(input: Request | IncomingRequest): MaybePromise<Reply | undefined> {
    const request = toIncoming(input)
    const { path, query } = splitTarget(request.url)
    if (!path.startsWith(basePath)) return undefined
    const match = matchRoute(routes, request.method, path.slice(basePath.length))
    if (!match) return undefined

    const context = createContext(request)
    const call: Call = { request, context, route: match.route, path, query, owner: undefined }
    return match.operation ? answer(call, match.operation) : answerWithAllow(call, match.allow)
  }

  function answerWithAllow(call: Call, allow: string): MaybePromise<Reply> {
    if (call.request.method === 'OPTIONS') return answer(call, () => noContent({ allow }), allow)
    return answer(call, () => {
      throw new Failure('method_not_allowed', { headers: { allow } })
    })
  }

  function notFound(input: Request | IncomingRequest): MaybePromise<Reply> {
    const request = toIncoming(input)
    const context = createContext(request)
    return answer({ request, context, route: undefined, owner: undefined }, () => {
      throw new Failure('route_not_found')
    })
  }

  function fetch(request: Request, ...others: unknown[]): Promise<Response> {
    return Promise.resolve(
      withReply(store, request, { use: toResponse, recover: answerMisuse }, others),
    )
  }

  let closing: Promise<void> | undefined
  const store = {
    handle,
    notFound,
    fetch,
    close() {
      closing ??= (async () => storage.close?.())()
      return closing
    },
  }
  return store
}

/** Runtime checks for JavaScript callers. */
function assertArguments(storage: PlantStorage, authVerifier: AuthVerifier): void {
  if (storage === null || typeof storage !== 'object' || storage instanceof Promise) {
    throw new TypeError(
      `storage must be a PlantStorage, such as memoryStorage() returns; got ${kindOf(storage)}`,
    )
  }
  for (const method of ['create', 'list', 'delete'] as const) {
    if (typeof storage[method] === 'function') continue
    throw new TypeError(`storage must have a method ${method}; got ${kindOf(storage[method])}`)
  }
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
  throw new TypeError(
    'The plant store takes a Fetch Request. Mount it with toExpressHandler(store) of plant-store/express or toNodeHandler(store) of plant-store/node',
  )
}

/** A HEAD response may omit headers that can only be computed with the body (RFC 9110, section 9.3.2). */
function forHead({ limit, after }: ListQuery): ListQuery {
  return { after, limit: limit !== undefined && limit > PAGE_SIZE ? undefined : limit }
}

function toCreated(isCreated: boolean, plant: StoredPlant): Reply {
  if (!isCreated) throw new Failure('duplicate_id')
  return jsonReply(JSON.stringify(toPlant(plant)))
}

function toDeleted(isDeleted: boolean): Reply {
  if (!isDeleted) throw new Failure('plant_not_found')
  return noContent()
}

function noContent(headers: Record<string, string> = {}): Reply {
  return { status: 204, headers, body: null }
}
