import { IttyRouter } from 'itty-router/IttyRouter'
import { fromRequest } from './adapter/from-request.ts'
import { toResponse } from './adapter/to-response.ts'
import type { AuthVerifier } from './auth-verifier.ts'
import { createAnswer } from './http/answer.ts'
import { createAuthenticate } from './http/authenticate.ts'
import { createExchange, type Exchange } from './http/exchange.ts'
import { Failure } from './http/failure.ts'
import { jsonReply, noContent } from './http/json-reply.ts'
import { createMatchRoute } from './http/routes.ts'
import type { IncomingRequest } from './incoming-request.ts'
import { assertMethods } from './lib/assert-methods.ts'
import { parseIdInPath } from './lib/int64.ts'
import { kindOf } from './lib/kind-of.ts'
import { type PlantStoreOptions, resolveOptions } from './options.ts'
import type { PageQuery, PlantStorage } from './plant-storage.ts'
import { createBodyMemory } from './plants/body-memory.ts'
import { checkStorage } from './plants/checked-storage.ts'
import { headPlants, listPlants, type PageReader } from './plants/list-plants.ts'
import { parseListQuery } from './plants/list-query.ts'
import { readNewPlant } from './plants/new-plant-body.ts'
import { createPageSizes } from './plants/page-size.ts'
import { createTurns } from './plants/page-turns.ts'
import { toPlant } from './plants/plants-json.ts'
import type { Reply } from './reply.ts'

/** The whole service, as a value: mount its `fetch`, or pass it to an adapter. */
export interface PlantStore {
  /**
   * Serves a Fetch request. Any failure is a Response with an Error body.
   *
   * @param request its path is compared as the URL holds it, after the option `basePath`
   * @throws (rejects with) TypeError when the argument isn't a `Request`. The message names the right adapters
   */
  fetch(request: Request): Promise<Response>
  /**
   * Serves a request for an adapter, without building a Response.
   *
   * @returns the reply, or `undefined` if no route matches. Then run the host's next handler, or send the
   *   reply of `notFound`
   * @throws (rejects with) TypeError when the argument isn't a request
   */
  handle(request: Request | IncomingRequest): Promise<Reply | undefined>
  /** Returns the 404 reply for a request that `handle` has no route for. */
  notFound(request: Request | IncomingRequest): Promise<Reply>
  /**
   * Closes the storage, once, when the calls of it that have begun are done, even those that have timed out. Requests
   * that need the storage after that get a 503.
   */
  close(): Promise<void>
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
  assertArguments(storage, authVerifier)
  const resolved = resolveOptions(options)
  const { basePath, maxBodyBytes, maxLimit } = resolved
  const plants = checkStorage(storage, resolved)
  const authenticate = createAuthenticate(authVerifier, resolved)
  const answer = createAnswer(resolved)
  const createBodyLimit = createBodyMemory(maxBodyBytes)
  const pageSizes = createPageSizes()
  const takeTurn = createTurns()

  const matchRoute = createMatchRoute<PlantOperation>(
    IttyRouter()
      .get('/plants', list)
      .head('/plants', list)
      .post('/plants', create)
      .delete('/plants/:id', remove),
    basePath,
  )

  async function create(exchange: Exchange): Promise<Reply> {
    const owner = await authenticate(exchange, 'plants:write')
    const limit = createBodyLimit()
    try {
      const plant = await readNewPlant(exchange.request, limit)
      if (!(await plants.create(owner, plant, exchange))) throw new Failure('duplicate_id')
      return jsonReply(JSON.stringify(toPlant(plant)))
    } finally {
      limit.release()
    }
  }

  async function list(exchange: Exchange): Promise<Reply> {
    const owner = await authenticate(exchange, 'plants:read')
    const query = parseListQuery(exchange.target.query, maxLimit)
    const read = exchange.request.method === 'HEAD' ? headPlants : listPlants
    return await read(readerOf(owner, exchange), query)
  }

  async function remove(exchange: Exchange): Promise<Reply> {
    const owner = await authenticate(exchange, 'plants:write')
    const id = parseIdInPath(exchange.target.id!)
    if (id === undefined) throw new Failure('invalid_id')
    if (!(await plants.delete(owner, id, exchange))) throw new Failure('plant_not_found')
    return noContent()
  }

  function readerOf(owner: string, exchange: Exchange): PageReader {
    const read = (query: PageQuery) => plants.list(owner, query, exchange)
    return {
      firstSize: pageSizes.first(owner),
      nextSize: (page) => pageSizes.next(owner, page),
      learn: (page) => pageSizes.learn(owner, page),
      first: read,
      later: (query) => {
        exchange.hasWaited = true
        exchange.hasBegun = true
        return takeTurn(() => read(query), owner)
      },
    }
  }

  async function handle(input: Request | IncomingRequest): Promise<Reply | undefined> {
    const request = toIncoming(input)
    const match = matchRoute(request.method, request.url)
    if (!match) return undefined
    const exchange = createExchange(request, match)
    return await answer(exchange, match.operation ?? respondToOtherMethod)
  }

  async function notFound(input: Request | IncomingRequest): Promise<Reply> {
    return await answer(createExchange(toIncoming(input)), respondNotFound)
  }

  return {
    handle,
    notFound,
    async fetch(request) {
      return toResponse((await handle(request)) ?? (await notFound(request)))
    },
    close: plants.close,
  }
}

async function respondToOtherMethod({ request, target }: Exchange): Promise<Reply> {
  const headers = { allow: target.allow! }
  if (request.method === 'OPTIONS') return noContent(headers)
  throw new Failure('method_not_allowed', { headers })
}

async function respondNotFound(): Promise<Reply> {
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
  throw new TypeError(
    'The plant store takes a Fetch Request. Mount it with toExpressHandler(store) of plant-store/express or toNodeHandler(store) of plant-store/node',
  )
}
