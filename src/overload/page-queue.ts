import { isDeno } from '../lib/runtime.ts'
import { createAdaptiveLimit, createFixedLimit } from './call-limit.ts'
import { createCallLimiter, type RunCall } from './call-limiter.ts'

/** The number of later pages that are read at a time at first; of a storage that returns values, which block, always. */
const FIRST_LIMIT = 4

// Saved here, since fake timers of an app's tests replace the global ones, and a list would hang.
const { setImmediate, setTimeout } = globalThis

/**
 * For how long setImmediate() may start one turn after the other, in ms. Meanwhile, Deno hardly reads its sockets: the
 * loop below it (tokio's) looks at them after 61 tasks, or when it has to wait, as for a timer.
 */
const MAX_IMMEDIATE_MS = isDeno ? 10 : Number.POSITIVE_INFINITY

/**
 * Creates the queue in which the later pages of lists wait, so that short requests come first: only as many pages are read
 * at a time as hardly slow each other down, owners take turns, and the event loop is free between pages. A list that has
 * begun is not refused, since that would break it.
 *
 * @param maxConcurrentCalls Infinity lifts the limit of pages at a time, too
 */
export function createPageQueue(maxConcurrentCalls?: number): RunCall {
  const isOff = maxConcurrentCalls === Number.POSITIVE_INFINITY
  const runBlocking = createCallLimiter(createFixedLimit(isOff ? Infinity : FIRST_LIMIT), 'storage')
  const runAsync = createCallLimiter(
    createAdaptiveLimit(isOff ? Infinity : FIRST_LIMIT, 0),
    'storage',
  )
  let isAsync = false
  let timerAt = 0

  async function nextLoopTurn(): Promise<void> {
    const isTimerDue = performance.now() - timerAt >= MAX_IMMEDIATE_MS
    const schedule = isTimerDue ? setTimeout : setImmediate
    // Workers may lack setImmediate, and in the Edge runtime of Next.js it throws. Their storages answer over the network.
    await new Promise<void>((resolve) => schedule(resolve)).catch(() => {})
    if (isTimerDue) timerAt = performance.now()
  }

  return (owner, origin, readPage) => {
    async function readInTurn() {
      await nextLoopTurn()
      const page = readPage()
      isAsync = page instanceof Promise
      return await page
    }
    const run = isAsync ? runAsync : runBlocking
    return run(owner, origin, readInTurn, false)
  }
}
