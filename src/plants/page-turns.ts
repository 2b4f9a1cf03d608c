/** How many pages of long lists are read at the same time. */
const MAX_IN_FLIGHT = 4

// Saved here, since fake timers of an app's tests replace the global one, and a list would hang.
const { setImmediate } = globalThis

/** Runs some work when its turn has come. */
export type TakeTurn = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Creates the queue in which the later pages of lists wait for their turn, so that short requests come first: few pages
 * are read at a time, and the event loop is free between them.
 */
export function createTurns(): TakeTurn {
  const waiting: (() => void)[] = []
  let inFlight = 0

  async function enter(): Promise<void> {
    if (inFlight < MAX_IN_FLIGHT) inFlight++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    await new Promise<void>((resolve) => {
      try {
        setImmediate(resolve)
      } catch {
        // Workers may lack it, and in the Edge runtime of Next.js it throws. Their storages answer over the network.
        resolve()
      }
    })
  }
  function leave(): void {
    const next = waiting.shift()
    if (next) next()
    else inFlight--
  }

  return async (work) => {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
