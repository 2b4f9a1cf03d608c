import { TimedCall } from '../lib/timed-call.ts'
import type { PlantStorage } from '../plant-storage.ts'

/**
 * Wraps a storage so that a call which takes longer than `timeoutMs` rejects with a CallTimeoutError, and its signal is
 * aborted. Costs the others nothing: each call has a timer of its own.
 *
 * @param isLaterPage whether it is for pages of lists that have begun, of which none may be refused
 */
export function limitTime(
  storage: PlantStorage,
  timeoutMs: number,
  isLaterPage = false,
): PlantStorage {
  return {
    create(owner, plant, call) {
      const timed = new TimedCall(call)
      return timed.limit(storage.create(owner, plant, timed), timeoutMs)
    },
    list(owner, query, call) {
      const timed = new TimedCall(call, isLaterPage)
      return timed.limit(storage.list(owner, query, timed), timeoutMs)
    },
    delete(owner, id, call) {
      const timed = new TimedCall(call)
      return timed.limit(storage.delete(owner, id, timed), timeoutMs)
    },
  }
}
