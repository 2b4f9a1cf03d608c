/**
 * Serves a store with Deno.
 *
 * ```ts
 * import { createPlantStore } from 'plant-store'
 * import { serve } from 'plant-store/deno'
 *
 * const server = await serve(createPlantStore(storage, verify), { port: 3000 })
 * ```
 *
 * @module
 */
import type { PlantStore } from '../src/plant-store.ts'
import { closeOnSignal, type RunningServer, type ServeOptions } from './shared/running-server.ts'

export type { RunningServer, ServeOptions }

/** What is used of Deno, so that nobody needs its types. */
declare const Deno: {
  serve(
    options: { port: number; hostname: string; onListen(): void },
    handler: (request: Request) => Promise<Response>,
  ): { addr: { port: number }; shutdown(): Promise<void> }
}

/**
 * Serves the store over HTTP/1.1 and cleartext HTTP/2 until `close()`, SIGTERM or SIGINT, each of which
 * lets the requests under way finish and closes the store. A second signal kills.
 *
 * @param store what `createPlantStore` gives, or anything with such a `fetch` and `close`
 * @returns once it listens
 * @throws (rejects with) Deno's error where it can't listen, such as `AddrInUse`
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
  const server = Deno.serve(
    {
      port,
      hostname,
      // Deno would print a line.
      onListen() {},
    },
    (request) => store.fetch(request),
  )
  // What is still under way at the end can't be broken off (denoland/deno#25792): the closed store ends
  // it, except where a client has stopped reading.
  const close = closeOnSignal({ stop: () => server.shutdown() }, store)
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  return { url: `http://${host}:${server.addr.port}`, port: server.addr.port, close }
}
