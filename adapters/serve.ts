import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AwaitUsing,
  assertOptions,
  assertStore,
  assertWholeNumber,
  type MaybePromise,
} from '../src/adapter.ts'

/** The longest time of a timer, in ms. */
const MAX_MS = 2 ** 31 - 1

/** The options of closing a server. */
export interface CloseOptions {
  /** Whether SIGTERM and SIGINT close it and end the process. Default: true. */
  signals?: boolean | undefined
  /**
   * The time limit of closing, in ms: the requests in flight and `store.close()` together.
   * Default: 8000, less than the 10 s after which `docker stop` kills.
   */
  graceMs?: number | undefined
  /**
   * How long the server keeps serving after SIGTERM, in ms, for load balancers that learn late that it stops, for
   * example those of Kubernetes. `graceMs` begins after it. Default: 0.
   */
  drainDelayMs?: number | undefined
}

/** The steps by which a runtime's server stops. */
export interface Drain {
  /**
   * Stops accepting connections. Settles when no request is in flight.
   *
   * @param isUrgent whether idle connections are closed at once, although a proxy may be sending on one
   */
  stop(isUrgent: boolean): Promise<unknown>
  /** Drops the requests that are still in flight, if any are. */
  abort?(): unknown
}

/** A signal so soon after the first is the same one: launchers pass on what Ctrl+C has sent to the whole group. */
const SAME_SIGNAL_MS = 500
/** The exit status of a process that a signal has ended, as shells report it. */
const EXIT_CODES = { SIGTERM: 143, SIGINT: 130 }

/**
 * Checks the options of a function, and returns those of closing with their defaults.
 *
 * @param others the names of its other options
 */
export function resolveCloseOptions(
  callee: string,
  options: CloseOptions,
  others: string[] = [],
): Required<CloseOptions> {
  assertOptions(callee, options, [...others, 'signals', 'graceMs', 'drainDelayMs'])
  const { signals = true, graceMs = 8000, drainDelayMs = 0 } = options
  assertWholeNumber('graceMs', graceMs, 0, MAX_MS)
  assertWholeNumber('drainDelayMs', drainDelayMs, 0, MAX_MS)
  return { signals, graceMs, drainDelayMs }
}

/**
 * Creates the function that drains a server and closes the store, once. The first SIGTERM or SIGINT calls it and then
 * ends the process. A later one ends the process at once.
 */
export function createClose(
  drain: Drain,
  store: { close(): Promise<unknown> },
  { signals, graceMs, drainDelayMs }: Required<CloseOptions>,
): () => Promise<void> {
  let closing: Promise<boolean> | undefined
  let deadline = 0
  let signalledAt: number | undefined

  /** Returns whether everything has finished in time. */
  async function shutDown(isUrgent: boolean): Promise<boolean> {
    if (!isUrgent) await sleep(drainDelayMs)
    deadline = performance.now() + graceMs
    // The last quarter is for the store, however long a client keeps its request open.
    const isDrained = await finishesBy(deadline - graceMs / 4, drain.stop(isUrgent))
    drain.abort?.()
    const isClosed = await finishesBy(deadline, store.close())
    return isDrained && isClosed
  }

  async function onSignal(signal: keyof typeof EXIT_CODES): Promise<void> {
    const now = performance.now()
    if (signalledAt !== undefined) {
      // The default action of a signal doesn't end PID 1, which is the command of a container.
      if (now - signalledAt > SAME_SIGNAL_MS) exit(EXIT_CODES[signal])
      return
    }
    signalledAt = now
    try {
      closing ??= shutDown(signal === 'SIGINT')
      // Unfinished work would keep the process alive for as long as it takes.
      if (!(await closing)) exit(EXIT_CODES[signal])
      // So would a call whose client has disconnected, and a timer of the app. The timer here doesn't.
      // The channel to the parent is that of node:cluster or PM2.
      process.channel?.unref()
      setTimeout(exit, Math.max(0, deadline - performance.now())).unref()
      // What the app begins when nothing is left to do is not cut. Bun's watchers would keep the process then.
      process.once('beforeExit', isWatchedByBun() ? () => exit() : releaseSignals)
    } catch (error) {
      console.error(error)
      exit(1)
    }
  }

  function exit(status?: number): void {
    releaseSignals()
    process.exit(status)
  }

  /** Makes the next signal end the process, as `deno run --watch` needs it: its watcher goes on after `process.exit()`. */
  function releaseSignals(): void {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
  }

  async function close(): Promise<void> {
    try {
      closing ??= shutDown(false)
      await closing
    } finally {
      if (signalledAt === undefined) releaseSignals()
    }
  }

  if (signals) process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  return close
}

function isWatchedByBun(): boolean {
  const { versions, execArgv } = process
  return versions.bun !== undefined && execArgv.some((flag) => /^--(?:watch|hot)$/.test(flag))
}

/** Whether the work settles in time. Rejects as the work does. */
async function finishesBy(deadline: number, work: Promise<unknown>): Promise<boolean> {
  const settled = new AbortController()
  const timeLeft = Math.max(0, deadline - performance.now())
  const timeUp = sleep(timeLeft, false, { signal: settled.signal })
  try {
    return await Promise.race([Promise.resolve(work).then(() => true), timeUp])
  } finally {
    settled.abort()
  }
}

/** Longer than the idle connections of nginx, HAProxy, Caddy, and of the load balancers of AWS, Azure and Google. */
const KEEP_ALIVE_TIMEOUT_MS = 620_000

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
  /**
   * How long an idle connection is kept, in ms. A proxy that reuses connections must close them first, or a request may
   * be lost. For Node: Bun ends them after 255 s. Default: 620 000, since Google's load balancers keep them for 600 s.
   */
  keepAliveTimeoutMs?: number | undefined
}

type ListenOptions = Required<Omit<ServeOptions, keyof CloseOptions>>

/** A server that is listening. */
export interface RunningServer extends AwaitUsing {
  /** Its address, for example `http://127.0.0.1:3000`. */
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
  listen: (options: ListenOptions) => MaybePromise<Drain & { port: number }>,
): Promise<RunningServer> {
  assertStore('serve', store, 'handle', 'notFound', 'close')
  const others = ['port', 'hostname', 'reusePort', 'keepAliveTimeoutMs']
  const closeOptions = resolveCloseOptions('serve', options, others)
  const { port = 3000, hostname = '127.0.0.1', reusePort = false } = options
  const { keepAliveTimeoutMs = KEEP_ALIVE_TIMEOUT_MS } = options
  assertWholeNumber('port', port, 0, 65_535)
  assertWholeNumber('keepAliveTimeoutMs', keepAliveTimeoutMs, 1, MAX_MS)
  // HOST= in the environment, for example. Node would listen on every interface.
  if (hostname === '') throw new TypeError('hostname must be a host name or an address; got ""')
  const server = await listen({ port, hostname, reusePort, keepAliveTimeoutMs })
  const close = createClose(server, store, closeOptions)
  return {
    url: urlOf(hostname, server.port),
    port: server.port,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The URL of a server. An IPv6 address has brackets there. */
export function urlOf(hostname: string, port: number): string {
  return `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`
}
