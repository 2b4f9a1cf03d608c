import { TimedCall } from '../lib/timed-call.ts'
import type { StorageCall } from '../plant-storage.ts'
import { type CallLimit, MIN_HOLD_MS } from './call-limit.ts'
import type { Owner } from './fair-slots.ts'

interface RunningCall {
  readonly owner: Owner
  readonly origin: StorageCall | undefined
  readonly startedAt: number
}

/** So many calls may hang beside those that hold slots, or as many as there are slots if that is more. */
const MAX_HANGING = 100

/** The slots of a limiter, for calls that hold them. */
interface Slots {
  isAnyWaiting(): boolean
  /** Gives a slot back, and begins the calls that wait for it. */
  release(owner: Owner): void
}

/** Keeps the calls that are in progress. Each holds its slot until it has ended, or may hang. */
export function createRunningCalls(limit: CallLimit, slots: Slots) {
  /** The calls that hold a slot, the oldest first. */
  const holders = new Set<RunningCall>()
  /** The calls that have given their slots back, but are still in progress as far as is known. */
  const hanging = new Set<RunningCall>()
  /** When the newest of the calls that have ended began. */
  let newestEnded = 0
  let lastEndAt = 0

  /** Whether a call keeps others waiting for nothing: those that began later have ended, or none does. */
  function mayHang({ startedAt }: RunningCall, now: number): boolean {
    const { isContended, maxHoldMs, current } = limit
    if (now - startedAt < maxHoldMs || hanging.size >= Math.max(current, MAX_HANGING)) return false
    return !isContended || startedAt < newestEnded || now - lastEndAt >= maxHoldMs
  }

  return {
    hold<T>(owner: Owner, origin: StorageCall | undefined, result: Promise<T>): Promise<T> {
      const call = { owner, origin, startedAt: performance.now() }
      holders.add(call)
      const inFlight = holders.size + hanging.size
      function end(hasFailed: boolean): void {
        lastEndAt = performance.now()
        newestEnded = Math.max(newestEnded, call.startedAt)
        const ms = lastEndAt - call.startedAt
        limit.learn({ ms, inFlight, hasFailed, isAwaited: slots.isAnyWaiting() })
        hanging.delete(call)
        if (holders.delete(call)) slots.release(owner)
      }
      result.then(
        () => end(false),
        () => end(true),
      )
      return result
    },
    giveBackHanging(now: number): void {
      for (const call of hanging) if (hasTimedOut(call)) hanging.delete(call)
      for (const call of holders) {
        if (now - call.startedAt < MIN_HOLD_MS) return
        const isOver = hasTimedOut(call)
        if (!isOver && !mayHang(call, now)) continue
        if (!isOver) hanging.add(call)
        holders.delete(call)
        slots.release(call.owner)
      }
    },
  }
}

function hasTimedOut({ origin }: RunningCall): boolean {
  if (origin instanceof TimedCall) return origin.hasTimedOut
  try {
    return origin?.signal?.reason?.name === 'TimeoutError'
  } catch {
    // An adapter that builds the signal may throw, and from a timer that would end the process.
    return false
  }
}
