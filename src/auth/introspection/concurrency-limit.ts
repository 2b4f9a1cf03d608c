/** Runs a task once there is room for it. Rejects with the signal's reason if that is aborted first. */
export type ConcurrencyLimit = <T>(task: () => Promise<T>, signal: AbortSignal) => Promise<T>

/** Creates a queue that runs at most `maxInFlight` tasks at once, in order of arrival. */
export function createConcurrencyLimit(maxInFlight: number): ConcurrencyLimit {
  // A Set keeps the order of insertion.
  const waiting = new Set<() => void>()
  let inFlight = 0

  return async (task, signal) => {
    if (inFlight < maxInFlight) inFlight++
    else await turn(signal)
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
