import { assertStore } from '../../src/adapter.ts'
import { type CloseOptions, createClose, resolveCloseOptions } from '../shared/close.ts'
import { createDrain, type NodeServer } from './drain.ts'

/**
 * Closes a server of your own as `serve` does: SIGTERM and SIGINT drain it, close the store, and end the process.
 * Node's `server.close()` drops requests that a proxy sends on idle connections, and waits for those that are never
 * used.
 *
 * A request is waited for if the server has emitted `request`. So if you listen to `checkContinue`, call
 * `response.writeContinue()`, and then `server.emit('request', request, response)`.
 *
 * An upgraded connection, such as a WebSocket, is the app's. End it in a listener of SIGTERM of your own: the server waits
 * for it, and cuts it after three quarters of `graceMs`.
 *
 * @param server of `node:http`, `node:https` or `node:http2`, as Express's `app.listen()` returns it, too
 * @param store or whatever else has to be closed when no request is in flight
 * @returns a function that closes both without a signal. It rejects with the error of `store.close()`
 * @throws TypeError or RangeError for a wrong option
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { enableGracefulClose, toNodeHandler } from 'plant-store/node'
 *
 * const server = createServer(toNodeHandler(store)).listen(3000)
 * enableGracefulClose(server, store)
 * ```
 */
export function enableGracefulClose(
  server: NodeServer,
  store: { close(): Promise<unknown> },
  options: CloseOptions = {},
): () => Promise<void> {
  assertStore('enableGracefulClose', store, 'close')
  const resolved = resolveCloseOptions('enableGracefulClose', options)
  return createClose(createDrain(server), store, resolved)
}
