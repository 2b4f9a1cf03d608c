/**
 * Serves a store with Deno.
 *
 * @module
 */
import { fromRequest, getResponse, type MountedStore } from '../src/adapter.ts'
import { type CloseOptions, type RunningServer, runServer, type ServeOptions } from './serve.ts'

export type { CloseOptions, MountedStore, RunningServer, ServeOptions }

/** Minimal typings, so that users need no types of Deno. */
declare const Deno: {
  serve(
    options: { port: number; hostname: string; reusePort: boolean; onListen(): void },
    handler: (request: Request) => Response | Promise<Response>,
  ): { addr: { port: number }; shutdown(): Promise<void> }
}

/**
 * Serves the store over HTTP/1.1 and cleartext HTTP/2 until `close()`, SIGTERM or SIGINT. Each of
 * them finishes the requests in flight and closes the store. A second signal ends the process at once.
 *
 * @param store what `createPlantStore` returns, or a wrapper around it
 * @returns once the server is listening
 * @throws (rejects with) Deno's error when it can't listen, for example `AddrInUse`
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
    // Without onListen, Deno prints a line.
    const server = Deno.serve({ ...address, onListen() {} }, (request) =>
      getResponse(store, fromRequest(request)),
    )
    // There is no abort: Deno can't drop requests in flight (denoland/deno#25792). They end when the store is
    // closed, unless the client has stopped reading.
    return { port: server.addr.port, stop: () => server.shutdown() }
  })
}
