import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import type { PlantStore } from '../../src/adapter.ts'
import { type RunningServer, runServer, type ServeOptions } from '../shared/running-server.ts'
import { createHandler } from './handler.ts'
import { sendReply } from './reply.ts'

/** Longer than load balancers keep idle connections (60 s is usual), so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000
/** Ends connections whose client has stopped reading. Node has no such limit by default. */
const SOCKET_TIMEOUT_MS = 120_000

/**
 * Serves the store over HTTP/1.1 until `close()`, SIGTERM or SIGINT. Each of them lets the requests in
 * flight finish and closes the store. A second signal ends the process at once.
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
  return runServer(store, options, async ({ port, hostname }) => {
    // A variable, since Node 22 has no optimizeEmptyRequests, and its types don't know the option.
    const serverOptions = {
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      // Requests without a body get no stream: a twentieth of the cost of a list (npm run bench -- http).
      optimizeEmptyRequests: true,
    }
    // An import reads all exports, and WebSocket's getter loads undici: 30 ms (npm run bench -- size).
    const server = process.getBuiltinModule('node:http').createServer(serverOptions)
    server.timeout = SOCKET_TIMEOUT_MS

    let isClosing = false
    const handler = createHandler(store, (message, response, reply) => {
      if (!isClosing) return sendReply(message, response, reply)
      // RFC 9112, section 9.6: tells the client not to send another request on this connection.
      const headers = { ...reply.headers, connection: 'close' }
      return sendReply(message, response, { ...reply, headers })
    })
    const sockets = new Set<Socket>()
    server.on('request', handler).on('connection', (socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    })

    function closeIdle(): void {
      server.closeIdleConnections()
      // Browsers open connections ahead of need, and Node doesn't count an unused one as idle.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    }
    async function stop(): Promise<void> {
      isClosing = true
      const sweep = setInterval(closeIdle, 20)
      await new Promise((resolve) => server.close(resolve))
      clearInterval(sweep)
    }

    server.listen(port, hostname)
    await once(server, 'listening')
    const { port: actualPort } = server.address() as AddressInfo
    return { port: actualPort, stop, abort: () => server.closeAllConnections() }
  })
}
