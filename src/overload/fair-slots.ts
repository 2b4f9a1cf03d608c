/** An owner who holds a fair share may take another slot only while less than this share of all is taken. */
const MAX_SHARE = 7 / 8

/** Undefined where nobody's calls can be told from others', and so all may have all slots. */
export type Owner = string | undefined

/**
 * Creates slots that owners share fairly, with a queue for each owner who waits for one. The last ones are for owners who
 * hold less than a fair share, and one of them for an owner who holds none, so that one owner's calls, however many and
 * however slow, leave some to everybody else. An owner who is alone goes without them. Calls without an owner take all.
 *
 * @param limit how many slots there are; it may change
 */
export function createFairSlots<Waiter>(limit: { readonly current: number }) {
  /** The number of slots that each owner holds. */
  const held = new Map<Owner, number>()
  /** The owner who has waited longest for a turn is first. */
  const queues = new Map<Owner, Waiter[]>()
  let inUse = 0

  /** Whether the owner's next call gets a slot at once. If not, it has to wait. */
  function isFree(owner: Owner): boolean {
    const { current } = limit
    const holds = held.get(owner)
    if (holds === undefined || owner === undefined) return inUse < current
    // The share if one more owner came.
    const isModest = holds < current / (held.size + 1)
    return inUse < Math.min(isModest ? current : MAX_SHARE * current, current - 1)
  }

  function take(owner: Owner): void {
    inUse++
    held.set(owner, (held.get(owner) ?? 0) + 1)
  }

  return {
    isFree,
    take,
    release(owner: Owner): void {
      inUse--
      const left = held.get(owner)! - 1
      if (left > 0) held.set(owner, left)
      else held.delete(owner)
    },
    /** Adds a waiter to the owner's queue. */
    wait(owner: Owner, waiter: Waiter): void {
      const queue = queues.get(owner)
      if (queue) queue.push(waiter)
      else queues.set(owner, [waiter])
    },
    /**
     * Gives a slot to the next waiter, of the owners in rotation, and returns it.
     *
     * @param pick takes a waiter out of a queue, which is not empty
     */
    takeNext(pick: (queue: Waiter[]) => Waiter): Waiter | undefined {
      for (const [owner, queue] of queues) {
        if (inUse >= limit.current) return undefined
        if (!isFree(owner)) continue
        const waiter = pick(queue)
        queues.delete(owner)
        if (queue.length > 0) queues.set(owner, queue)
        take(owner)
        return waiter
      }
      return undefined
    },
    /** Removes the waiters for which `isOver` returns true. */
    prune(isOver: (waiter: Waiter) => boolean): void {
      for (const [owner, queue] of queues) {
        const rest = queue.filter((waiter) => !isOver(waiter))
        if (rest.length > 0) queues.set(owner, rest)
        else queues.delete(owner)
      }
    },
    isAnyWaiting: () => queues.size > 0,
  }
}
