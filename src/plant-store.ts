import { IttyRouter } from 'itty-router/IttyRouter'
import type { AuthVerifier, Scope } from './auth-verifier.ts'
import { createAnswer, failureReply } from './http/answer.ts'
import { authenticate } from './http/authenticate.ts'
import { Failure } from './http/failure.ts'
import { matchRoute, type Route } from './http/routes.ts'
import { splitTarget } from './http/target.ts'
import { fromRequest, type IncomingRequest } from './incoming-request.ts'
import { andThen, type MaybePromise } from './maybe-promise.ts'
import { type PlantStoreOptions, resolveOptions } from './options.ts'
import type { PlantStorage } from './plant-storage.ts'
import { parseInt64 } from './plants/int64.ts'
import { listReply } from './plants/list-plants.ts'
import { readPage } from './plants/list-query.ts'
import { readNewPlant } from './plants/new-plant-body.ts'
import { toPlant } from './plants/plants-json.ts'
import { callStorage } from './plants/storage-call.ts'
import { jsonReply, type Reply, toResponse } from './reply.ts'

/** The whole service, as a value: mount its `fetch`, or give it to an adapter. */
export interface PlantStore {
  /**
   * Answers a request. Never rejects: whatever fails is a Response with an Error body.
   *
   * @param request its path is compared as it stands in the URL, after the option `basePath`
   */
  fetch(request: Request): Promise<Response>
  /**
   * Answers as `fetch` does, for adapters: without a Response, and with `undefined` where no route is
   * the store's, so that a framework's next handler may run.
   */
  handle(request: Request | IncomingRequest): MaybePromise<Reply | undefined>
  /** Closes the storage. */
  close(): Promise<void>
}

/** A request that has found its route. */
interface Call {
  request: IncomingRequest
  params: { id?: string }
  query: string
}

type Operation = (call: Call) => MaybePromise<Reply>
/** An operation on the plants of somebody who may ask for it. */
type OwnersOperation = (owner: string, call: Call) => MaybePromise<Reply>

/**
 * Builds the plant catalogue (specification, part 4) on a storage and a token check.
 *
 * @param storage where the plants are: one of `plant-store/storage/…`, or your own `PlantStorage`
 * @param verify whose token it is: one of `plant-store/auth/…`, or your own `AuthVerifier`
 * @param options see `PlantStoreOptions` for each option's unit and default
 * @throws TypeError or RangeError when a parameter or an option makes no sense
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
  verify: AuthVerifier,
  options: PlantStoreOptions = {},
): PlantStore {
  assertMethods(storage, verify)
  const { basePath, maxBodyBytes, maxLimit, timeoutMs, ...reporting } = resolveOptions(options)
  const answer = createAnswer(reporting)

  const router = IttyRouter()
    .get('/plants', authorized('plants:read', list))
    .head('/plants', authorized('plants:read', list))
    .post('/plants', authorized('plants:write', create))
    .delete('/plants/:id', authorized('plants:write', remove))
  const routes = router.routes as unknown as Route<Operation>[]

  function create(owner: string, { request }: Call): Promise<Reply> {
    return readNewPlant(request, maxBodyBytes, (plant) => {
      const created = inStorage(() => storage.create(owner, plant))
      return andThen(created, (isNew) => {
        if (isNew) return jsonReply(JSON.stringify(toPlant(plant)))
        throw new Failure('duplicate_id')
      })
    })
  }

  function list(owner: string, { query }: Call): MaybePromise<Reply> {
    const page = readPage(query, maxLimit)
    return listReply((next) => inStorage(() => storage.list(owner, next)), page)
  }

  async function remove(owner: string, { params }: Call): Promise<Reply> {
    const id = parseInt64(params.id!)
    if (id === undefined) throw new Failure('invalid_id')
    const deleted = await inStorage(() => storage.delete(owner, id))
    if (!deleted) throw new Failure('plant_not_found')
    return noContent()
  }

  function authorized(scope: Scope, operation: OwnersOperation): Operation {
    return (call) =>
      andThen(authenticate(call.request, verify, scope, timeoutMs), (owner) =>
        operation(owner, call),
      )
  }

  function inStorage<T>(call: () => MaybePromise<T>): MaybePromise<T> {
    return callStorage(call, timeoutMs)
  }

  function handle(input: Request | IncomingRequest): MaybePromise<Reply | undefined> {
    const request = 'readBody' in input ? input : fromRequest(input)
    const { path, query } = splitTarget(request.url)
    if (!path.startsWith(basePath)) return undefined
    const route = matchRoute(routes, request.method, path.slice(basePath.length))
    if (!route) return undefined

    const { operation, params, allow } = route
    if (operation) return answer(request, () => operation({ request, params, query }))
    if (request.method === 'OPTIONS') return answer(request, () => noContent({ allow }), allow)
    return answer(request, () => {
      throw new Failure('method_not_allowed', { headers: { allow } })
    })
  }

  return {
    handle,
    fetch: async (request) =>
      toResponse((await handle(request)) ?? failureReply('route_not_found')),
    close: async () => storage.close?.(),
  }
}

/** For those who have no types, or variables that are not set. */
function assertMethods(storage: PlantStorage, verify: AuthVerifier): void {
  const { create, list, delete: remove } = Object(storage) as PlantStorage
  if (![create, list, remove].every((method) => typeof method === 'function')) {
    throw new TypeError('storage must have the methods create, list and delete')
  }
  if (typeof verify !== 'function') throw new TypeError('verify must be a function')
}

function noContent(headers: Record<string, string> = {}): Reply {
  return { status: 204, headers, body: null }
}
