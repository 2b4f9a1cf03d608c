/**
 * Serves a store with Bun, or mounts it in your own server.
 *
 * @module
 */

import { assertStore, fromRequest, getResponse, type MountedStore } from '../src/adapter.ts'
import { assertHandlerOptions, type HandlerOptions } from './caller.ts'
import { pendingReads } from './pending-reads.ts'
import { type CloseOptions, type RunningServer, runServer, type ServeOptions } from './serve.ts'

export type { CloseOptions, HandlerOptions, MountedStore, RunningServer, ServeOptions }

/** Bun's maximum, in seconds. It applies to requests too: less would cut off clients that wait for a slow storage. */
const IDLE_TIMEOUT_S = 255
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
 * Creates a `fetch` handler for your own server and for frameworks on Bun. It responds as `store.fetch` does.
 * Under load, it takes less CPU: requests that Bun reads together are answered together.
 *
 * @param store what `createPlantStore` or its `as` returns, or a wrapper around it
 *
 * @example
 * ```ts
 * import { toBunHandler } from 'plant-store/bun'
 *
 * export default { port: 3000, fetch: toBunHandler(store) }
 * ```
 */
export function toBunHandler<HostRequest extends Request = Request>(
  store: MountedStore,
  { caller, ...others }: HandlerOptions<HostRequest> = {},
): (request: HostRequest) => Promise<Response> {
  assertStore('toBunHandler', store, 'handle', 'notFound')
  assertHandlerOptions('toBunHandler', { caller, ...others })
  return async (request) => {
    await pendingReads()
    return getResponse(store, {
      ...fromRequest(request),
      caller: caller && (() => caller(request)),
    })
  }
}

/**
 * Serves the store over HTTP/1.1 until `close()`, SIGTERM or SIGINT. Each of them finishes the requests
 * in flight and closes the store. A second signal ends the process at once.
 *
 * @param store what `createPlantStore` returns, or a wrapper around it
 * @returns once the server is listening
 * @throws (rejects with) Bun's error when it can't listen, for example `EADDRINUSE`
 *
 * @example
 * ```ts
 * const server = await serve(store, { port: 3000 })
 * console.log(`Listening on ${server.url}`)
 * ```
 */
export function serve(
  store: MountedStore & { close(): Promise<void> },
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

    const server = Bun.serve({ ...address, idleTimeout: IDLE_TIMEOUT_S, fetch })
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
