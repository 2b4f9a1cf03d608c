/**
 * Runs a store as a Cloudflare Worker.
 *
 * @module
 */

import { assertStore, fromRequest, getResponse, type MountedStore } from '../src/adapter.ts'

export type { MountedStore }

/** The default export of a Worker's module. It fits Cloudflare's own `ExportedHandler<Env>`. */
export interface Worker<Env> {
  fetch(request: Request, env: Env, ctx: WorkerContext): Promise<Response>
}

/** The part of a Worker's context that is used. Cloudflare's own `ExecutionContext` fits. */
export interface WorkerContext {
  waitUntil(work: Promise<unknown>): void
}

/**
 * Creates a Cloudflare Worker. The verifier's `context.request` has Cloudflare's `cf`, and the Worker is
 * kept alive until `onError` and `onResponse` have settled.
 *
 * A list calls the storage once for its first 101 plants, and again for each 128 more, or for each 15 of the
 * largest. Cloudflare limits the calls per request
 * (https://developers.cloudflare.com/workers/platform/limits/#subrequests): set `maxLimit` if an owner may have very
 * many plants.
 *
 * @param createStore creates the store from the Worker's bindings; called once per isolate. If it throws, Cloudflare
 *   answers with error 1101, and the next request calls it again. Or the store itself, if it needs no bindings
 * @returns the Worker, for `export default`
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
export function toWorker<Env extends object>(
  createStore: MountedStore | ((env: Env) => MountedStore),
): Worker<Env> {
  const stores = new WeakMap<Env, MountedStore>()
  if (typeof createStore !== 'function') assertStore('toWorker', createStore, 'handle', 'notFound')

  function storeFor(env: Env): MountedStore {
    if (typeof createStore !== 'function') return createStore
    const store = stores.get(env) ?? createStore(env)
    assertStore('toWorker', store, 'handle', 'notFound')
    stores.set(env, store)
    return store
  }
  return {
    async fetch(request, env, ctx) {
      const store = storeFor(env)
      // Unit tests may pass no context.
      const waitUntil = (work: Promise<unknown>) => ctx?.waitUntil(work)
      return getResponse(store, { ...fromRequest(request), waitUntil })
    },
  }
}
