/**
 * Runs a task once there is room for it. Rejects if too many wait, or with the signal's reason if that is aborted
 * first.
 */
export type ConcurrencyLimit = <T>(task: () => Promise<T>, signal: AbortSignal) => Promise<T>

/** Creates a queue that runs at most `maxInFlight` tasks at once, in order of arrival, while at most `maxWaiting` wait. */
export function createConcurrencyLimit(maxInFlight: number, maxWaiting: number): ConcurrencyLimit {
  // A Set keeps the order of insertion.
  const waiting = new Set<() => void>()
  let inFlight = 0

  return async (task, signal) => {
    if (inFlight < maxInFlight) inFlight++
    else if (waiting.size < maxWaiting) await turn(signal)
    else throw new Error(`${maxWaiting} requests of the authorization server already wait`)
    try {
      return await task()
    } finally {
      passOn()
    }
  }

  function turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => resolve()
      const giveUp = () => {
        waiting.delete(start)
        reject(signal.reason)
      }
      waiting.add(start)
      signal.addEventListener('abort', giveUp)
    })
  }

  /** Starts the next task of the queue, if there is one. */
  function passOn(): void {
    const [start] = waiting
    if (start === undefined) {
      inFlight--
      return
    }
    waiting.delete(start)
    start()
  }
}
