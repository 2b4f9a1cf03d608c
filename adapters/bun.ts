/**
 * Serves a store with Bun, or mounts it in a server of your own.
 *
 * @module
 */

import { assertStore, fromRequest, getResponse, type PlantStore } from '../src/adapter.ts'
import { pendingReads } from './shared/pending-reads.ts'
import { type RunningServer, runServer, type ServeOptions } from './shared/running-server.ts'

export type { RunningServer, ServeOptions }

/** For how long responses say `Connection: close` before the server stops accepting connections. */
const LAST_RESPONSES_MS = 250

/** Minimal typings, so that users need no `@types/bun`. */
declare const Bun: {
  serve(options: {
    port: number
    hostname: string
    reusePort: boolean
    idleTimeout: number
    fetch(request: Request): Response | Promise<Response>
  }): {
    port: number
    readonly pendingRequests: number
    stop(closeActiveConnections?: boolean): Promise<void>
  }
  sleep(ms: number): Promise<void>
}

/**
 * Creates a `fetch` handler for a server of your own and for frameworks on Bun. It responds as `store.fetch` does.
 * Under load, it takes less CPU: requests that Bun reads together are answered together.
 *
 * @param store what `createPlantStore` returns, or a wrapper around it
 *
 * @example
 * ```ts
 * import { toBunHandler } from 'plant-store/bun'
 *
 * export default { port: 3000, fetch: toBunHandler(store) }
 * ```
 */
export function toBunHandler(
  store: Pick<PlantStore, 'handle' | 'notFound'>,
): (request: Request) => Promise<Response> {
  assertStore('toBunHandler', store, 'handle', 'notFound')
  return async (request) => {
    await pendingReads()
    return getResponse(store, fromRequest(request))
  }
}

/**
 * Serves the store over HTTP/1.1 until `close()`, SIGTERM or SIGINT. Each of them lets the requests in
 * flight finish and closes the store. A second signal ends the process at once.
 *
 * @param store what `createPlantStore` returns, or a wrapper around it
 * @returns once the server is listening
 * @throws (rejects with) Bun's error when it can't listen, such as `EADDRINUSE`
 *
 * @example
 * ```ts
 * const server = await serve(store, { port: 3000 })
 * console.log(`Listening on ${server.url}`)
 * ```
 */
export function serve(
  store: Pick<PlantStore, 'handle' | 'notFound' | 'close'>,
  options: ServeOptions = {},
): Promise<RunningServer> {
  return runServer(store, options, (address) => {
    const handle = toBunHandler(store)
    let usedAt = 0
    let isClosing = false

    async function fetch(request: Request): Promise<Response> {
      usedAt = performance.now()
      const response = await handle(request)
      if (isClosing) response.headers.set('connection', 'close')
      return response
    }

    const server = Bun.serve({
      ...address,
      // Bun's maximum, in seconds. The default of 10 would cut off clients that read slowly or wait for a
      // slow storage.
      idleTimeout: 255,
      fetch,
    })
    async function stop(isUrgent: boolean): Promise<void> {
      isClosing = true
      // stop() closes idle connections at once. Before that, most of those that a proxy uses are closed by a response.
      const isIdle = performance.now() - usedAt > LAST_RESPONSES_MS
      if (!isIdle && !isUrgent) await Bun.sleep(LAST_RESPONSES_MS)
      // It would wait for a client that never completes the head of its request.
      const stopped = server.stop()
      do await Promise.race([stopped, Bun.sleep(LAST_RESPONSES_MS)])
      while (server.pendingRequests > 0)
      await server.stop(true)
    }
    return { port: server.port, stop, abort: () => server.stop(true) }
  })
}
