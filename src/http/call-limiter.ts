import { addTo, type OwnerLines, takeNext } from '../lib/owner-lines.ts'
import type { CallLimit } from './call-limit.ts'
import { ClientGoneError } from './client-gone.ts'
import { Failure } from './failure.ts'

/** A call that waits for others to end. */
export interface WaitingCall {
  /** Owners take turns. */
  readonly owner: string | undefined
  /** Whether its client has disconnected. */
  isGone(): boolean
}

/** A call in progress. */
export interface Turn {
  readonly startedAt: number
  /** How many calls were in progress when it began, including itself. */
  readonly inFlight: number
}

interface Waiter {
  readonly call: WaitingCall
  readonly since: number
  readonly mayBeRefused: boolean
  readonly start: (turn: Turn) => void
  readonly reject: (error: unknown) => void
}

/**
 * A queue that has not been empty for this long is no burst: a call that joins it may be refused. A client that has
 * waited for this long is patient.
 */
const BURST_MS = 2000
/** A wait that is long. A call that may be refused is refused then. */
const MAX_WAIT_MS = 250
/** The share of the turns that patient clients get. */
const PATIENT_SHARE = 0.25
/** How often the queue is searched for calls to refuse, and for clients that have gone. */
const SWEEP_MS = 50

/**
 * Lets so many calls be made at once, and others wait. A burst of any size is served in the end. A call that joins a
 * queue which never empties is refused unless it is served soon (as in CoDel, RFC 8289). When an owner's calls have
 * waited for long, the newest is next, since its client has not given up yet (Maurer, "Fail at Scale", ACM Queue 2015).
 * Those who came before anybody was refused, and are still there, get a share of the turns.
 *
 * @param cause for `onError`, when a call is refused
 */
export function createCallLimiter(limit: CallLimit, cause: Error) {
  /** The calls that wait, the newest last. */
  const lines: OwnerLines<Waiter> = new Map()
  let inFlight = 0
  let standingSince = 0
  /** Whether a timer runs, at whose end the queue is searched. */
  let hasTimer = false

  /** Whether the next call has to wait. Whenever others wait, as many calls are in progress as may be. */
  function isFull(): boolean {
    return inFlight >= limit.current
  }

  /** Begins a call. */
  function enter(): Turn {
    inFlight++
    return { startedAt: performance.now(), inFlight }
  }

  /** Begins a call in its turn. Rejects with the 503 `overloaded`, or if the client has gone. */
  function wait(call: WaitingCall): Promise<Turn> {
    return new Promise((start, reject) => {
      const since = performance.now()
      if (lines.size === 0) standingSince = since
      if (!hasTimer) sweepLater()
      const mayBeRefused = since - standingSince > BURST_MS
      addTo(lines, call.owner, { call, since, mayBeRefused, start, reject })
    })
  }

  /** Ends a call, and begins others. */
  function leave({ startedAt, inFlight: inFlightAtStart }: Turn): void {
    inFlight--
    limit.learn({ startedAt, inFlight: inFlightAtStart, isAwaited: lines.size > 0 })
    while (lines.size > 0 && inFlight < limit.current) startNext()
  }

  function startNext(): void {
    const { call, start, reject } = takeNext(lines, takeCall)!
    if (call.isGone()) reject(new ClientGoneError())
    else start(enter())
  }

  function sweep(): void {
    const now = performance.now()
    hasTimer = false
    for (const [owner, line] of lines) {
      const rest = line.filter((waiter) => !isEnded(waiter, now))
      if (rest.length > 0) lines.set(owner, rest)
      else lines.delete(owner)
    }
    if (lines.size > 0) sweepLater()
  }

  function sweepLater(): void {
    hasTimer = true
    setTimeout(sweep, SWEEP_MS)
  }

  /** Ends the wait of a call whose client has gone, or that is refused. */
  function isEnded({ call, since, mayBeRefused, reject }: Waiter, now: number): boolean {
    if (call.isGone()) reject(new ClientGoneError())
    else if (mayBeRefused && now - since >= MAX_WAIT_MS) {
      reject(new Failure('overloaded', { cause }))
    } else return false
    return true
  }

  return { isFull, enter, wait, leave }
}

/** If the oldest call has waited for long, the newest is next, or sometimes the oldest, if its client is patient. */
function takeCall(line: Waiter[]): Waiter | undefined {
  const waitMs = performance.now() - line[0]!.since
  const isOldestNext = waitMs < MAX_WAIT_MS || (waitMs > BURST_MS && Math.random() < PATIENT_SHARE)
  return isOldestNext ? line.shift() : line.pop()
}
