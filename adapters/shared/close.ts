import { setTimeout as sleep } from 'node:timers/promises'
import { assertOptions, assertWholeNumber } from '../../src/lib/arguments.ts'

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
   * The time that the server goes on as before after SIGTERM, in ms, for load balancers that learn late that it stops,
   * such as those of Kubernetes. `graceMs` begins after it. Default: 0.
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
  assertWholeNumber('graceMs', graceMs, 0, 2 ** 31 - 1)
  assertWholeNumber('drainDelayMs', drainDelayMs, 0, 2 ** 31 - 1)
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

  /** Lets the next signal end the process, as `deno run --watch` needs it: its watcher goes on after `process.exit()`. */
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
