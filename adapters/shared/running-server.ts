import {
  assertOptions,
  assertStore,
  assertWholeNumber,
  type MaybePromise,
} from '../../src/adapter.ts'

/** The options of `serve`, the same on every runtime. */
export interface ServeOptions {
  /** The TCP port; 0 takes a free one. Default: 3000. */
  port?: number | undefined
  /** The host name or address to listen on. Default: `127.0.0.1`, which only this machine can reach. */
  hostname?: string | undefined
  /** Whether SIGTERM and SIGINT call `close()` and end the process. Default: true. */
  signals?: boolean | undefined
  /**
   * How long `close()` may take, in ms: for the requests in flight and for `store.close()` together.
   * Default: 8000, less than the 10 s after which `docker stop` kills.
   */
  graceMs?: number | undefined
}

/** A server that is listening. */
export interface RunningServer {
  /** Its address, such as `http://127.0.0.1:3000`. */
  readonly url: string
  readonly port: number
  /**
   * Stops accepting connections, waits for the requests in flight, then closes the store. After `graceMs`
   * it drops the requests that are still in flight.
   *
   * @throws (rejects with) the error of `store.close()`
   */
  close(): Promise<void>
}

interface RuntimeServer {
  port: number
  /** Stops accepting connections; settles when no request is in flight. */
  stop(): Promise<unknown>
  /** Drops the requests that are still in flight, if any are. */
  abort?(): unknown
}

/** The exit status of a process that a signal has ended, as shells report it. */
const EXIT_CODES = { SIGTERM: 143, SIGINT: 130 }

/**
 * Starts a runtime's server, and creates its `close`, which SIGTERM and SIGINT call too. A second signal
 * ends the process at once, since the first removes the listeners.
 *
 * @param listen called with the options and their defaults
 * @throws (rejects with) a TypeError or RangeError that names a wrong option, and what `listen` throws
 */
export async function runServer(
  store: { close(): Promise<void> },
  options: ServeOptions,
  listen: (options: { port: number; hostname: string }) => MaybePromise<RuntimeServer>,
): Promise<RunningServer> {
  assertStore('serve', store, 'handle', 'notFound', 'close')
  assertOptions('serve', options, ['port', 'hostname', 'signals', 'graceMs'])
  const { port = 3000, hostname = '127.0.0.1', signals = true, graceMs = 8000 } = options
  assertWholeNumber('port', port, 0, 65_535)
  assertWholeNumber('graceMs', graceMs, 0, 2 ** 31 - 1)
  if (typeof hostname !== 'string' || hostname === '') {
    throw new TypeError(
      `hostname must be a host name or an address; got ${JSON.stringify(hostname)}`,
    )
  }
  if (typeof signals !== 'boolean') {
    throw new TypeError(`signals must be true or false; got ${JSON.stringify(signals)}`)
  }
  const server = await listen({ port, hostname })
  let closing: Promise<boolean> | undefined
  let deadline = 0

  const close = () => (closing ??= shutDown())

  /** Returns whether everything has finished in time. */
  async function shutDown(): Promise<boolean> {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
    deadline = performance.now() + graceMs
    // The last quarter is for the store, however long a client keeps its request open.
    const isDrained = await finishesBy(deadline - graceMs / 4, server.stop())
    server.abort?.()
    const isClosed = await finishesBy(deadline, store.close())
    return isDrained && isClosed
  }

  async function onSignal(signal: keyof typeof EXIT_CODES): Promise<void> {
    try {
      // Unfinished work would keep the process alive for as long as it takes.
      if (!(await close())) process.exit(EXIT_CODES[signal])
      // So would a call whose client has disconnected, and a timer of the app. The timer here doesn't.
      setTimeout(() => process.exit(), Math.max(0, deadline - performance.now())).unref()
    } catch (error) {
      console.error(error)
      process.exit(1)
    }
  }

  if (signals) process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  return {
    url: `http://${host}:${server.port}`,
    port: server.port,
    close: async () => void (await close()),
  }
}

/** Whether the work settles in time. Rejects as the work does. */
async function finishesBy(deadline: number, work: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeUp = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, deadline - performance.now()), false)
  })
  try {
    return await Promise.race([Promise.resolve(work).then(() => true), timeUp])
  } finally {
    clearTimeout(timer)
  }
}
