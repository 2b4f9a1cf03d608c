import type { StorageCall } from '../plant-storage.ts'
import { type CallLimit, MIN_HOLD_MS } from './call-limit.ts'
import type { Owner } from './fair-slots.ts'

interface RunningCall {
  readonly owner: Owner
  readonly origin: StorageCall | undefined
  readonly startedAt: number
}

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
  let inProgress = 0
  /** When the newest of the calls that have ended began. */
  let newestEnded = 0

  function giveBack(call: RunningCall): void {
    if (holders.delete(call)) slots.release(call.owner)
  }

  /** Whether a call keeps others waiting for nothing: those that began later have ended, or its time limit has passed. */
  function mayHang({ origin, startedAt }: RunningCall, now: number): boolean {
    const isOvertaken = !limit.isContended || startedAt < newestEnded
    return (isOvertaken && now - startedAt >= limit.maxHoldMs) || hasTimedOut(origin)
  }

  return {
    hold<T>(owner: Owner, origin: StorageCall | undefined, result: Promise<T>): Promise<T> {
      const call = { owner, origin, startedAt: performance.now() }
      holders.add(call)
      const inFlight = ++inProgress
      function end(hasFailed: boolean): void {
        inProgress--
        newestEnded = Math.max(newestEnded, call.startedAt)
        const ms = performance.now() - call.startedAt
        limit.learn({ ms, inFlight, hasFailed, isAwaited: slots.isAnyWaiting() })
        giveBack(call)
      }
      result.then(
        () => end(false),
        () => end(true),
      )
      return result
    },
    giveBackHanging(now: number): void {
      for (const call of holders) {
        if (now - call.startedAt < MIN_HOLD_MS) return
        if (mayHang(call, now)) giveBack(call)
      }
    },
  }
}

function hasTimedOut(origin: StorageCall | undefined): boolean {
  try {
    return origin?.signal?.reason?.name === 'TimeoutError'
  } catch {
    return false // an adapter that builds the signal may throw
  }
}
