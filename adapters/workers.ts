/**
 * Runs a store as a Cloudflare Worker.
 *
 * ```ts
 * import { createPlantStore } from 'plant-store'
 * import { d1Storage } from 'plant-store/storage/d1'
 * import { toWorker } from 'plant-store/workers'
 *
 * export default toWorker((env: Env) => createPlantStore(d1Storage(env.PLANTS), verify))
 * ```
 *
 * @module
 */
import { failureReply } from '../src/http/answer.ts'
import { fromRequest, type IncomingRequest } from '../src/incoming-request.ts'
import type { PlantStore } from '../src/plant-store.ts'
import { toResponse } from '../src/reply.ts'

/** What a Worker's module exports by default. Cloudflare's own `ExportedHandler<Env>` takes it. */
export interface Worker<Env> {
  fetch(request: Request, env: Env, ctx: WorkerContext): Promise<Response>
}

/** What is asked of a Worker's context. Cloudflare's own `ExecutionContext` fits. */
export interface WorkerContext {
  waitUntil(work: Promise<unknown>): void
}

/**
 * Makes a Cloudflare Worker of a store. Its verifier gets requests with Cloudflare's `cf`, and what
 * `onError` begins is finished, although the answer is out by then.
 *
 * A list takes a call of the storage for each 100 plants, and Cloudflare allows a request a limited
 * number of them (https://developers.cloudflare.com/workers/platform/limits/#subrequests): set
 * `maxLimit` where an owner may have very many plants.
 *
 * @param createStore makes the store of the Worker's bindings; called once for each isolate. What it
 *   throws is Cloudflare's error 1101, and the next request calls it again
 * @returns the Worker, to be exported by default; a path that is not the store's is 404
 *
 * @example
 * ```ts
 * interface Env {
 *   PLANTS: D1Database
 *   TOKEN: string
 * }
 *
 * export default toWorker((env: Env) =>
 *   createPlantStore(d1Storage(env.PLANTS), staticTokens({ [env.TOKEN]: 'alice' })),
 * )
 * ```
 */
export function toWorker<Env extends object>(createStore: (env: Env) => PlantStore): Worker<Env> {
  const stores = new WeakMap<Env, PlantStore>()

  function storeOf(env: Env): PlantStore {
    const store = stores.get(env) ?? createStore(env)
    stores.set(env, store)
    return store
  }

  return {
    async fetch(request, env, ctx) {
      const reply = await storeOf(env).handle(fromWorkers(request, ctx))
      return toResponse(reply ?? failureReply('route_not_found'))
    },
  }
}

function fromWorkers(request: Request & { cf?: unknown }, ctx: WorkerContext): IncomingRequest {
  return {
    ...fromRequest(request),
    toRequest() {
      const { method, url, headers, signal, cf } = request
      // A Request that is built of a URL has no cf but the one it is given.
      return new Request(url, { method, headers, signal, cf } as RequestInit)
    },
    waitUntil: (work) => ctx.waitUntil(work),
  }
}
