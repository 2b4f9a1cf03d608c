import type { Server } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import { assertOptions, assertStore } from '../../src/adapter.ts'
import {
  CLOSE_OPTIONS,
  type CloseOptions,
  createClose,
  resolveCloseOptions,
} from '../shared/close.ts'
import { createDrain } from './drain.ts'

/**
 * Closes a server of your own as `serve` does: SIGTERM and SIGINT drain it, close the store, and end the process.
 * Node's `server.close()` drops requests that a proxy sends on idle connections, and waits for those that are never
 * used.
 *
 * @param server of `node:http` or `node:https`, as Express's `app.listen()` returns it, too
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
  server: Server | TlsServer,
  store: { close(): Promise<unknown> },
  options: CloseOptions = {},
): () => Promise<void> {
  assertStore('enableGracefulClose', store, 'close')
  assertOptions('enableGracefulClose', options, CLOSE_OPTIONS)
  return createClose(createDrain(server), store, resolveCloseOptions(options))
}
