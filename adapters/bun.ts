/**
 * Serves a store with Bun.
 *
 * ```ts
 * import { createPlantStore } from 'plant-store'
 * import { serve } from 'plant-store/bun'
 *
 * const server = await serve(createPlantStore(storage, verify), { port: 3000 })
 * ```
 *
 * @module
 */
import type { PlantStore } from '../src/plant-store.ts'
import { closeOnSignal, type RunningServer, type ServeOptions } from './shared/running-server.ts'

export type { RunningServer, ServeOptions }

/** What is used of Bun, so that nobody needs its types. */
declare const Bun: {
  serve(options: {
    port: number
    hostname: string
    maxRequestBodySize: number
    idleTimeout: number
    fetch(request: Request): Promise<Response>
  }): { url: URL; port: number; stop(closeActiveConnections?: boolean): Promise<void> }
}

/**
 * Serves the store over HTTP/1.1 until `close()`, SIGTERM or SIGINT, each of which lets the requests
 * under way finish and closes the store. A second signal kills.
 *
 * @param store what `createPlantStore` gives, or anything with such a `fetch` and `close`
 * @returns once it listens
 * @throws (rejects with) Bun's error where it can't listen, such as `EADDRINUSE`
 *
 * @example
 * ```ts
 * const server = await serve(store, { port: 3000 })
 * console.log(`Listening on ${server.url}`)
 * ```
 */
export async function serve(
  store: Pick<PlantStore, 'fetch' | 'close'>,
  { port = 3000, hostname = '127.0.0.1' }: ServeOptions = {},
): Promise<RunningServer> {
  const server = Bun.serve({
    port,
    hostname,
    // The store has a limit of its own, and an answer with a body for what exceeds it.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    // The most that Bun allows, in seconds. Its default of 10 would cut off a client that reads a list
    // slowly, and one that waits for a slow storage.
    idleTimeout: 255,
    fetch: (request) => store.fetch(request),
  })
  const close = closeOnSignal({ stop: () => server.stop(), abort: () => server.stop(true) }, store)
  return { url: server.url.origin, port: server.port, close }
}
