/** How many pages of long lists are read at the same time. */
const MAX_IN_FLIGHT = 4

// Saved here, since fake timers of an app's tests replace the global ones, and a list would hang.
const { setImmediate, setTimeout } = globalThis

/**
 * For how long setImmediate() may start one turn after the other, in ms. Meanwhile, Deno hardly reads its sockets: the
 * loop below it (tokio's) looks at them after 61 tasks, or when it has to wait, as for a timer.
 */
const MAX_IMMEDIATE_MS = 'Deno' in globalThis ? 10 : Number.POSITIVE_INFINITY

/** Runs some work when its turn has come. */
export type TakeTurn = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Creates the queue in which the later pages of lists wait for their turn, so that short requests come first: few pages
 * are read at a time, and the event loop is free between them.
 */
export function createTurns(): TakeTurn {
  const waiting: (() => void)[] = []
  let inFlight = 0
  let timerAt = 0

  async function enter(): Promise<void> {
    if (inFlight < MAX_IN_FLIGHT) inFlight++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    const isTimerDue = performance.now() - timerAt >= MAX_IMMEDIATE_MS
    try {
      await new Promise<void>((resolve) => (isTimerDue ? setTimeout : setImmediate)(resolve))
    } catch {
      // Workers may lack it, and in the Edge runtime of Next.js it throws. Their storages answer over the network.
    }
    if (isTimerDue) timerAt = performance.now()
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
