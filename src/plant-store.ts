import { IttyRouter } from 'itty-router/IttyRouter'
import { type AuthVerifier, type Caller, checkCaller } from './auth-verifier.ts'
import { Failure } from './errors.ts'
import { readJsonBody } from './http/body.ts'
import { createExchange, type Exchange } from './http/context.ts'
import { jsonReply, noContent } from './http/reply.ts'
import { toIncomingRequest } from './http/request.ts'
import { createResponder } from './http/respond.ts'
import { getResponse } from './http/response.ts'
import { createMatchTarget } from './http/target.ts'
import { createAuthenticate } from './http/token.ts'
import type { IncomingRequest } from './incoming-request.ts'
import { assertFunction, assertMethods } from './lib/arguments.ts'
import { parseIdInPath } from './lib/int64.ts'
import type { AwaitUsing } from './lib/promises.ts'
import { assertRuntime } from './lib/runtime.ts'
import { type PlantStoreOptions, resolveOptions } from './options.ts'
import type { PlantStorage } from './plant-storage.ts'
import { guardStorage } from './plants/guard.ts'
import { createListPlants } from './plants/list.ts'
import { parseNewPlant } from './plants/new-plant.ts'
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
   * The store for a caller whom the host app has authenticated: `Authorization` is ignored. It costs nothing to create,
   * so create one per request.
   *
   * @throws TypeError when the caller is not `{ owner, scopes? }`
   *
   * @example
   * ```ts
   * const response = await store.as({ owner: 'alice' }).fetch(request)
   * ```
   */
  as(caller: Caller): PlantStoreOfCaller
  /** Returns the 404 reply for a request that `handle` has no route for. */
  notFound(request: Request | IncomingRequest): Promise<Reply>
  /**
   * Waits for the storage's calls in progress, including those that have timed out, then closes it, once. Requests that
   * need the storage after that get a 503.
   */
  close(): Promise<void>
}

/** The store for one caller, as `store.as(caller)` returns it. Every adapter takes it. */
export type PlantStoreOfCaller = Pick<PlantStore, 'fetch' | 'handle' | 'notFound'>

/** What a runtime passes to `fetch` along with the request. Cloudflare's `ExecutionContext` fits. */
export interface FetchContext {
  waitUntil?(work: Promise<unknown>): void
}

/**
 * Creates the plant catalogue on a storage and a token check.
 *
 * @param storage keeps the plants: one of `plant-store/storage/…`, or your `PlantStorage`
 * @param authVerifier resolves tokens: one of `plant-store/auth/…`, or your `AuthVerifier`
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
  const { basePath, maxBodyBytes, timeoutMs } = resolved
  const authenticate = createAuthenticate(authVerifier, timeoutMs)
  const plants = guardStorage(storage, resolved)
  const listPlants = createListPlants(plants, resolved)
  const respond = createResponder(resolved)

  const matchTarget = createMatchTarget<(exchange: Exchange) => Promise<Reply>>(
    IttyRouter()
      .get('/plants', list)
      .head('/plants', list)
      .post('/plants', create)
      .delete('/plants/:id', remove),
    basePath,
  )

  async function create(exchange: Exchange): Promise<Reply> {
    const owner = await authenticate(exchange, 'plants:write')
    const plant = parseNewPlant(await readJsonBody(exchange.request, maxBodyBytes))
    if (!(await plants.create(exchange, owner, plant))) throw new Failure('duplicate_id')
    return jsonReply(JSON.stringify({ name: plant.name, tag: plant.tag }))
  }

  async function list(exchange: Exchange): Promise<Reply> {
    return await listPlants(exchange, await authenticate(exchange, 'plants:read'))
  }

  async function remove(exchange: Exchange): Promise<Reply> {
    const owner = await authenticate(exchange, 'plants:write')
    const id = parseIdInPath(exchange.target.id!)
    if (id === undefined) throw new Failure('invalid_id')
    if (!(await plants.delete(exchange, owner, id))) throw new Failure('plant_not_found')
    return noContent()
  }

  /** The methods that serve requests: of the callers that tokens name, or of one whom the host app names. */
  function facesOf(caller?: () => Caller): PlantStoreOfCaller {
    async function handle(input: Request | IncomingRequest): Promise<Reply | undefined> {
      const request = toIncomingRequest(input)
      const match = matchTarget(request.method, request.url)
      if (!match) return undefined
      return await respond(createExchange(request, match, caller), match.operation ?? refuseMethod)
    }

    async function notFound(input: Request | IncomingRequest): Promise<Reply> {
      const request = toIncomingRequest(input)
      return await respond(createExchange(request, { query: '' }), refuseRoute)
    }

    return {
      handle,
      notFound,
      async fetch(input, _environment, context) {
        const request = toIncomingRequest(input)
        if (typeof context?.waitUntil === 'function') {
          request.waitUntil = (work) => context.waitUntil!(work)
        }
        return getResponse({ handle, notFound }, request)
      },
    }
  }

  return {
    ...facesOf(),
    as(caller) {
      const checked = checkCaller(caller, 'store.as takes { owner }')
      return facesOf(() => checked)
    },
    close: plants.close,
    [Symbol.asyncDispose]: plants.close,
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
  const expectedStorage = 'storage must be a PlantStorage, such as memoryStorage() returns'
  assertMethods(expectedStorage, storage, ['create', 'list', 'delete'])
  const expectedVerifier = 'authVerifier must be a function, such as staticTokens({ … }) returns'
  assertFunction(expectedVerifier, authVerifier)
}
