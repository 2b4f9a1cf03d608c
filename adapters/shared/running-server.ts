import { assertKnownOptions } from '../../src/known-options.ts'

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
   * it breaks what is still in flight.
   *
   * @throws (rejects with) the error of `store.close()`
   */
  close(): Promise<void>
}

/** Fills in the defaults. Throws a TypeError or RangeError that names the wrong option. */
export function resolveServeOptions(options: ServeOptions): Required<ServeOptions> & {
  port: number
  hostname: string
  signals: boolean
  graceMs: number
} {
  assertKnownOptions('serve', options, ['port', 'hostname', 'signals', 'graceMs'])
  const { port = 3000, hostname = '127.0.0.1', signals = true, graceMs = 8000 } = options
  assertWholeNumber('port', port, 65_535)
  assertWholeNumber('graceMs', graceMs, 2 ** 31 - 1)
  if (typeof hostname !== 'string' || hostname === '') {
    throw new TypeError(`hostname must be a host name or an address; got ${String(hostname)}`)
  }
  if (typeof signals !== 'boolean') {
    throw new TypeError(`signals must be true or false; got ${String(signals)}`)
  }
  return { port, hostname, signals, graceMs }
}

function assertWholeNumber(name: string, value: unknown, max: number): void {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max) return
  throw new RangeError(`${name} must be a whole number from 0 to ${max}; got ${String(value)}`)
}

/** How a runtime's server stops. */
interface Stoppable {
  /** Stops accepting connections; settles when no request is in flight. */
  stop(): Promise<unknown>
  /** Breaks what is still in flight. */
  abort?(): unknown
}

/** The exit status of a process that a signal has ended, as shells report it. */
const EXIT_CODES = { SIGTERM: 143, SIGINT: 130 }

/**
 * Creates the `close` of a server, and calls it on SIGTERM and SIGINT. A second signal kills, since the
 * first removes the listeners.
 */
export function createClose(
  server: Stoppable,
  store: { close(): Promise<void> },
  { signals, graceMs }: { signals: boolean; graceMs: number },
): () => Promise<void> {
  let closing: Promise<boolean> | undefined

  function close(): Promise<boolean> {
    closing ??= shutDown()
    return closing
  }

  /** Returns whether everything has finished in time. */
  async function shutDown(): Promise<boolean> {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
    const deadline = performance.now() + graceMs
    const isDrained = await finishesBy(deadline, server.stop())
    if (!isDrained) await server.abort?.()
    const isClosed = await finishesBy(deadline, store.close())
    return isDrained && isClosed
  }

  async function onSignal(signal: keyof typeof EXIT_CODES): Promise<void> {
    try {
      // Unfinished work would keep the process alive for as long as it takes.
      if (!(await close())) process.exit(EXIT_CODES[signal])
    } catch (error) {
      console.error(error)
      process.exit(1)
    }
  }

  if (signals) process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  return async () => void (await close())
}

/** Whether the work settles in time. Rejects as the work does. */
async function finishesBy(deadline: number, work: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeUp = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, deadline - performance.now()), false)
  })
  try {
    return await Promise.race([work.then(() => true), timeUp])
  } finally {
    clearTimeout(timer)
  }
}

/** The URL of a server. */
export function toUrl(hostname: string, port: number): string {
  return `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`
}
