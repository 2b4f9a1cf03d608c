import { createFairSlots } from '../lib/fair-slots.ts'
import { isCloudflareWorkers } from '../lib/is-cloudflare-workers.ts'
import { isDeno } from '../lib/is-deno.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

/** Reads a later page of an owner's list in its turn. */
export type ReadInTurn = <T>(owner: string, readPage: () => MaybePromise<T>) => Promise<T>

/** The number of later pages that are read at the same time. */
const MAX_IN_FLIGHT = 4

// Saved here, since fake timers of an app's tests replace the global ones, and a list would hang.
const { setImmediate, setTimeout } = globalThis

/**
 * For how long setImmediate() may start one turn after the other, in ms. Meanwhile, Deno hardly reads its sockets: the
 * loop below it (tokio's) looks at them after 61 tasks, or when it has to wait, as for a timer.
 */
const MAX_IMMEDIATE_MS = isDeno ? 10 : Number.POSITIVE_INFINITY

/**
 * Creates the queue in which the later pages of lists wait, so that short requests come first: few pages are read at a
 * time, owners take turns, and the event loop is free between pages. A list that has begun is not refused, since that
 * would break it.
 *
 * @param maxConcurrentCalls Infinity lifts the limit of pages at a time, too
 */
export function createPageQueue(maxConcurrentCalls?: number): ReadInTurn {
  const isOff = maxConcurrentCalls === Number.POSITIVE_INFINITY || isCloudflareWorkers()
  const limit = isOff ? Number.POSITIVE_INFINITY : MAX_IN_FLIGHT
  const slots = createFairSlots<() => void>({ current: limit })
  let timerAt = 0

  async function nextLoopTurn(): Promise<void> {
    const isTimerDue = performance.now() - timerAt >= MAX_IMMEDIATE_MS
    const schedule = isTimerDue ? setTimeout : setImmediate
    // Workers may lack setImmediate, and in the Edge runtime of Next.js it throws. Their storages answer over the network.
    await new Promise<void>((resolve) => schedule(resolve)).catch(() => {})
    if (isTimerDue) timerAt = performance.now()
  }

  return async (owner, readPage) => {
    if (slots.isFree(owner)) slots.take(owner)
    else await new Promise<void>((resolve) => slots.wait(owner, resolve))
    try {
      await nextLoopTurn()
      return await readPage()
    } finally {
      slots.release(owner)
      for (let next = takeOldest(); next; next = takeOldest()) next()
    }
  }

  function takeOldest(): (() => void) | undefined {
    return slots.takeNext((queue) => queue.shift()!)
  }
}
