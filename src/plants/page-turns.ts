import { isDeno } from '../lib/is-deno.ts'
import { createTaskQueue, type RunTask } from '../lib/task-queue.ts'

/** How many pages of long lists are read at the same time. */
const MAX_IN_FLIGHT = 4

// Saved here, since fake timers of an app's tests replace the global ones, and a list would hang.
const { setImmediate, setTimeout } = globalThis

/**
 * For how long setImmediate() may start one turn after the other, in ms. Meanwhile, Deno hardly reads its sockets: the
 * loop below it (tokio's) looks at them after 61 tasks, or when it has to wait, as for a timer.
 */
const MAX_IMMEDIATE_MS = isDeno ? 10 : Number.POSITIVE_INFINITY

/**
 * Creates the queue in which the later pages of lists wait for their turn, so that short requests come first: few pages
 * are read at a time, and the event loop is free between them.
 */
export function createTurns(): RunTask {
  const runTask = createTaskQueue(MAX_IN_FLIGHT)
  let timerAt = 0

  async function nextTurn(): Promise<void> {
    const isTimerDue = performance.now() - timerAt >= MAX_IMMEDIATE_MS
    const schedule = isTimerDue ? setTimeout : setImmediate
    // Workers may lack setImmediate, and in the Edge runtime of Next.js it throws. Their storages answer over the network.
    await new Promise<void>((resolve) => schedule(resolve)).catch(() => {})
    if (isTimerDue) timerAt = performance.now()
  }

  return (readPage, owner) =>
    runTask(async () => {
      await nextTurn()
      return readPage()
    }, owner)
}
