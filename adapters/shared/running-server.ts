import { assertStore, type MaybePromise } from '../../src/adapter.ts'
import { assertWholeNumber } from '../../src/lib/arguments.ts'
import type { AwaitUsing } from '../../src/lib/promises.ts'
import { type CloseOptions, createClose, type Drain, resolveCloseOptions } from './close.ts'

/** The options of `serve`, the same on every runtime. */
export interface ServeOptions extends CloseOptions {
  /** The TCP port; 0 takes a free one. Default: 3000. */
  port?: number | undefined
  /** The host name or address to listen on. Default: `127.0.0.1`, which only this machine can reach. */
  hostname?: string | undefined
  /**
   * Whether other processes may listen on the port too. The kernel then gives each new connection to one of them. Not on
   * macOS and Windows, and on Deno only with `--unstable-net`. Default: false.
   */
  reusePort?: boolean | undefined
}

/** Where a server listens. */
export interface Address {
  readonly port: number
  readonly hostname: string
  readonly reusePort: boolean
}

/** A server that is listening. */
export interface RunningServer extends AwaitUsing {
  /** Its address, such as `http://127.0.0.1:3000`. */
  readonly url: string
  readonly port: number
  /**
   * Does what SIGTERM does, but does not end the process: after `drainDelayMs`, it stops accepting connections, waits
   * for the requests in flight, then closes the store. After three quarters of
   * `graceMs`, it drops the requests that are still in flight.
   *
   * @throws (rejects with) the error of `store.close()`
   */
  close(): Promise<void>
}

/**
 * Starts a runtime's server, and closes it when it gets a signal.
 *
 * @param listen called with the options, or their defaults
 * @throws (rejects with) a TypeError or RangeError that names a wrong option, and what `listen` throws
 */
export async function runServer(
  store: { close(): Promise<void> },
  options: ServeOptions,
  listen: (address: Address) => MaybePromise<Drain & { port: number }>,
): Promise<RunningServer> {
  assertStore('serve', store, 'handle', 'notFound', 'close')
  const closeOptions = resolveCloseOptions('serve', options, ['port', 'hostname', 'reusePort'])
  const { port = 3000, hostname = '127.0.0.1', reusePort = false } = options
  assertWholeNumber('port', port, 0, 65_535)
  // HOST= in the environment, for example. Node would listen on every interface.
  if (hostname === '') throw new TypeError('hostname must be a host name or an address; got ""')
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  const server = await listen({ port, hostname, reusePort })
  const close = createClose(server, store, closeOptions)
  return {
    url: `http://${host}:${server.port}`,
    port: server.port,
    close,
    [Symbol.asyncDispose]: close,
  }
}
