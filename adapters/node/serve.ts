import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { PlantStore } from '../../src/adapter.ts'
import { type RunningServer, runServer, type ServeOptions } from '../shared/running-server.ts'
import { createDrain } from './drain.ts'
import { toNodeHandler } from './handler.ts'

/** Longer than load balancers keep idle connections (60 s is usual), so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000
/**
 * Ends connections whose client has stopped reading. It also ends those that wait for the store.
 * Node has no such limit by default.
 */
const SOCKET_TIMEOUT_MS = 120_000

/**
 * Serves the store over HTTP/1.1 until `close()`, SIGTERM or SIGINT. Each of them lets the requests in
 * flight finish and closes the store. On SIGTERM and `close()`, idle connections are served once more, so that
 * clients behind a proxy notice nothing. A second signal ends the process at once.
 *
 * A connection on which nothing moves for 120 s during a request is closed, also while the store works on it. So a
 * `timeoutMs` above 120 000 has no effect.
 *
 * @param store what `createPlantStore` returns, or a wrapper around it
 * @returns once the server is listening
 * @throws (rejects with) TypeError or RangeError for a wrong option, and the error of `listen`, such as
 *   `EADDRINUSE`
 *
 * @example
 * ```ts
 * import { serve } from 'plant-store/node'
 *
 * const server = await serve(store, { port: 3000 })
 * console.log(`Listening on ${server.url}`)
 * ```
 */
export function serve(
  store: Pick<PlantStore, 'handle' | 'notFound' | 'close'>,
  options: ServeOptions = {},
): Promise<RunningServer> {
  return runServer(store, options, async ({ port, hostname, reusePort }) => {
    // A variable, since Node 22 has no optimizeEmptyRequests, and its types don't know the option.
    const serverOptions = {
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      // Requests without a body get no stream: a twentieth of the cost of a list (npm run bench -- http).
      optimizeEmptyRequests: true,
    }
    // An import reads all exports, and WebSocket's getter loads undici: 30 ms (npm run bench -- size).
    const { createServer } = process.getBuiltinModule('node:http')
    const server = createServer(serverOptions, toNodeHandler(store))
    server.timeout = SOCKET_TIMEOUT_MS
    const drain = createDrain(server)
    server.listen({ port, host: hostname, reusePort })
    await once(server, 'listening')
    return { port: (server.address() as AddressInfo).port, ...drain }
  })
}
