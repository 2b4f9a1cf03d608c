import { OverloadedError } from '../errors.ts'
import { type MaybePromise, toPromise } from '../lib/promises.ts'
import { isCloudflareWorkers } from '../lib/runtime.ts'
import type { StorageCall } from '../plant-storage.ts'
import type { CallLimit } from './call-limit.ts'
import { createFairSlots, type Owner } from './fair-slots.ts'
import { createRunningCalls } from './running-calls.ts'

/**
 * Makes a call, at once or in its turn.
 *
 * @param owner the calls of one owner wait in one queue, and so do all whose owner isn't known yet
 * @param origin the call that this one is made for: while it waits, its client may leave
 * @param mayBeRefused default: true
 */
export type RunCall = <T>(
  owner: Owner,
  origin: StorageCall | undefined,
  call: () => MaybePromise<T>,
  mayBeRefused?: boolean,
) => MaybePromise<T>

interface Waiter {
  /** Read when the wait begins: an adapter that builds it may throw. */
  readonly signal: AbortSignal | undefined
  readonly since: number
  readonly mayBeRefused: boolean
  readonly start: () => void
  readonly reject: (error: unknown) => void
}

/**
 * A queue that has not been empty for this long is overload, not a burst: a call that joins it may be refused. A client
 * that has waited for this long is patient.
 */
const BURST_MS = 2000
/** A long wait. A call that may be refused is refused then. */
const MAX_WAIT_MS = 250
/** The share of the turns that patient clients get. */
const PATIENT_SHARE = 0.25
/** The interval at which the queue is searched for calls to refuse, and for clients that have gone. */
const SWEEP_MS = 50

/**
 * Runs at most `limit.current` calls at once, beside some that hang, and queues the rest. A burst of any size is served in
 * the end. A call that joins a queue which never empties is refused unless it is served soon (as in CoDel, RFC 8289). When
 * an owner's calls have waited for long, the newest is next, since its client has not given up yet (Maurer, "Fail at
 * Scale", ACM Queue 2015). Those who came before anybody was refused, and are still there, get a share of the turns.
 *
 * A call that returns a value takes no slot. So calls wait only for others that return promises. In Workers, where a call
 * can't wait for another, none does.
 *
 * @param callee for the message of the error of refused calls
 */
export function createCallLimiter(limit: CallLimit, callee: string): RunCall {
  const isOff = isCloudflareWorkers() || limit.current === Number.POSITIVE_INFINITY
  if (isOff) return (_owner, _origin, call) => toPromise(call())

  const slots = createFairSlots<Waiter>(limit)
  const refusal = new OverloadedError(`Calls of the ${callee} wait too long`)
  const running = createRunningCalls(limit, { isAnyWaiting: slots.isAnyWaiting, release })
  let standingSince = 0
  let hasTimer = false

  /** Gives a slot back, and begins the calls that wait for it. */
  function release(owner: Owner): void {
    slots.release(owner)
    for (let next = slots.takeNext(pick); next; next = slots.takeNext(pick)) next.start()
  }

  async function callInTurn<T>(
    owner: Owner,
    origin: StorageCall | undefined,
    call: () => MaybePromise<T>,
    mayBeRefused: boolean,
  ): Promise<T> {
    await wait(owner, origin, mayBeRefused)
    let result: MaybePromise<T> | undefined
    try {
      origin?.signal?.throwIfAborted()
      result = toPromise(call())
    } finally {
      if (!(result instanceof Promise)) release(owner)
    }
    return result instanceof Promise ? running.hold(owner, origin, result) : result
  }

  function wait(
    owner: Owner,
    origin: StorageCall | undefined,
    mayBeRefused: boolean,
  ): Promise<void> {
    return new Promise((start, reject) => {
      const signal = origin?.signal
      const since = performance.now()
      if (!slots.isAnyWaiting()) standingSince = since
      if (!hasTimer) sweepLater()
      const isOverload = since - standingSince > BURST_MS && limit.isContended
      slots.wait(owner, { signal, since, mayBeRefused: mayBeRefused && isOverload, start, reject })
    })
  }

  function sweep(): void {
    const now = performance.now()
    hasTimer = false
    slots.prune((waiter) => isOver(waiter, now))
    running.giveBackHanging(now)
    if (slots.isAnyWaiting()) sweepLater()
  }

  function sweepLater(): void {
    hasTimer = true
    setTimeout(sweep, SWEEP_MS)
  }

  /** Ends the wait of a call whose client has gone, or that is refused. */
  function isOver({ signal, since, mayBeRefused, reject }: Waiter, now: number): boolean {
    if (signal?.aborted) reject(signal.reason)
    else if (mayBeRefused && now - since >= MAX_WAIT_MS) reject(refusal)
    else return false
    return true
  }

  return (owner, origin, call, mayBeRefused = true) => {
    if (!slots.isFree(owner)) return callInTurn(owner, origin, call, mayBeRefused)
    const result = toPromise(call())
    if (!(result instanceof Promise)) return result
    slots.take(owner)
    return running.hold(owner, origin, result)
  }
}

/** If the oldest call has waited for long, the newest is next, or sometimes the oldest, if its client is patient. */
function pick(queue: Waiter[]): Waiter {
  const waitMs = performance.now() - queue[0]!.since
  const isOldestNext = waitMs < MAX_WAIT_MS || (waitMs > BURST_MS && Math.random() < PATIENT_SHARE)
  return (isOldestNext ? queue.shift() : queue.pop())!
}
