import type { AuthVerifier } from './auth-verifier.ts'
import { OverloadedError } from './errors.ts'
import { assertCallCount, assertFunction, assertMethods, assertOptions } from './lib/arguments.ts'
import type { AwaitUsing, MaybePromise } from './lib/promises.ts'
import { isCloudflareWorkers } from './lib/runtime.ts'
import type { PlantStorage, StorageCall } from './plant-storage.ts'

/** The options of `withOverloadProtection` and `limitCalls`. */
export interface OverloadOptions {
  /** The maximum number of calls that are in progress at once; for a storage, of each of its methods. */
  maxConcurrentCalls: number
}

/**
 * Wraps a storage so that at most `maxConcurrentCalls` calls of each method are in progress at once. `createPlantStore` does
 * this by itself for a storage that declares `maxConcurrentCalls`. Wrap the storage yourself to put a cache in front of the
 * queue: what is in the cache never waits.
 *
 * Further calls wait in a fair queue: the owner with the fewest slots is next, and one owner never holds all slots, if
 * there are two or more. A call whose client has disconnected, or whose time is up, is passed over. A burst of any size
 * is served. Once a queue has had waiting calls for 2 s, each new call that waits for 250 ms rejects with an error with
 * the code `overloaded`: the client gets 503 `overloaded`, and the storage was not called. Later pages of a list are
 * never refused. A call that hangs keeps its slot until the time limit of the `call` that it was given has passed.
 *
 * @param storage the storage to protect. It is called with the same arguments
 * @param options see `OverloadOptions`. Default: what the storage declares
 * @returns the wrapper, which declares no limit
 * @throws TypeError or RangeError when an argument or an option is wrong, or if no limit is known
 *
 * @example
 * ```ts
 * const limited: PlantStorage = withOverloadProtection(storage, { maxConcurrentCalls: 20 })
 * const store = createPlantStore(limited, verify)
 * ```
 */
export function withOverloadProtection(
  storage: PlantStorage,
  options?: OverloadOptions,
): PlantStorage & AwaitUsing {
  const callee = 'withOverloadProtection'
  assertMethods(`${callee} takes a PlantStorage`, storage, ['create', 'list', 'delete'])
  const max = readMax(callee, options ?? { maxConcurrentCalls: storage.maxConcurrentCalls })
  const [creates, lists, deletes] = [createSlots(max), createSlots(max), createSlots(max)]
  return {
    create: (owner, plant, call) =>
      inTurn(creates, owner, call, () => storage.create(owner, plant, call)),
    list: (owner, query, call) =>
      // Refusing a later page would break a list that has begun. A page after a cursor looks the same here.
      inTurn(lists, owner, call, () => storage.list(owner, query, call), query.after === undefined),
    delete: (owner, id, call) =>
      inTurn(deletes, owner, call, () => storage.delete(owner, id, call)),
    close: () => storage.close?.(),
    async [Symbol.asyncDispose]() {
      await storage.close?.()
    },
  }
}

/**
 * Wraps a verifier that asks a database or a service, so that a flood of unknown tokens doesn't pile up in front of it. The
 * bundled verifiers do this already. Put a cache around it: a token that is in the cache never waits.
 *
 * Calls beyond the limit wait and may be refused, like those of `withOverloadProtection`. The owner of a token isn't
 * known before it has been verified, so all tokens share one queue: in an overload, the newest calls come first.
 *
 * @param verify the verifier. It is called with the same arguments
 * @param options see `OverloadOptions`
 * @throws TypeError or RangeError when an argument or an option is wrong
 *
 * @example
 * ```ts
 * const limited: AuthVerifier = limitCalls(verify, { maxConcurrentCalls: 20 })
 * const store = createPlantStore(storage, limited)
 * ```
 */
export function limitCalls(verify: AuthVerifier, options: OverloadOptions): AuthVerifier {
  assertFunction('limitCalls takes a verifier, which is a function', verify)
  const slots = createSlots(readMax('limitCalls', options))
  return (token, context) => inTurn(slots, undefined, context, () => verify(token, context))
}

function readMax(callee: string, options: unknown): number {
  assertOptions(callee, options, ['maxConcurrentCalls'])
  const { maxConcurrentCalls } = options as OverloadOptions
  assertCallCount('maxConcurrentCalls', maxConcurrentCalls)
  return maxConcurrentCalls
}

/** For how long a call that hangs keeps its slot after its client has disconnected, in ms. */
const MAX_HANG_MS = 30_000

/** Makes a call when it has got a slot. The slot is given back when the call has ended, or its time is up. */
async function inTurn<T>(
  slots: Slots,
  owner: string | undefined,
  call: StorageCall | undefined,
  work: () => MaybePromise<T>,
  mayBeRefused = true,
): Promise<T> {
  const signal = call?.signal
  signal?.throwIfAborted()
  if (!slots.take(owner)) await slots.wait(owner, () => signal?.throwIfAborted(), mayBeRefused)
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  function end(): void {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    if (!isOver) slots.release(owner)
    isOver = true
  }
  function onAbort(): void {
    if (signal?.reason?.name === 'TimeoutError') end()
    else timer = setTimeout(end, MAX_HANG_MS)
  }
  signal?.addEventListener('abort', onAbort)
  try {
    return await work()
  } finally {
    end()
  }
}

/** A number of slots, each for a call in progress, and the calls that wait for one. */
export type Slots = ReturnType<typeof createSlots>

interface Waiter {
  readonly since: number
  /** Tells the call that it has got a slot. False if it is not needed any more. */
  start(): boolean
}

/** A queue that has not been empty for this long is overload, not a burst. A call that joins it may be refused. */
const BURST_MS = 2000
/** The longest wait of a call that may be refused. From then on, an owner's newest call is next. */
const MAX_WAIT_MS = 250
/** The share of the turns in which those who have waited for long are not passed over. */
const PATIENT_SHARE = 0.1

/**
 * Creates slots with a fair queue. The owner who holds the fewest slots is next, and one owner never holds all slots,
 * if there are two or more, so that one owner's calls, however many and however slow, leave a slot to everybody else.
 * Calls whose clients have not waited for long come first, since the others may be about to give up (Maurer, "Fail at
 * Scale", ACM Queue 2015). Refusing calls that join a standing queue keeps waits short (as CoDel does, RFC 8289).
 *
 * @param max the number of slots. In Cloudflare Workers, where a request can't wait for another, it has no effect
 */
export function createSlots(max: number) {
  const isEndless = max === Number.POSITIVE_INFINITY || isCloudflareWorkers()
  const held = new Map<string | undefined, number>()
  /** The owner who has waited longest for a turn is first. */
  const queues = new Map<string | undefined, Waiter[]>()
  const refusal = new OverloadedError('Too many calls wait for their turn')
  let inUse = 0
  let standingSince = 0

  const heldBy = (owner: string | undefined) => held.get(owner) ?? 0

  function isFree(owner: string | undefined): boolean {
    const most = owner === undefined || max === 1 ? max : max - 1
    return inUse < max && heldBy(owner) < most
  }

  /** Takes a slot for a call, if one is free for its owner. */
  function take(owner: string | undefined): boolean {
    if (isEndless) return true
    if (!isFree(owner)) return false
    held.set(owner, heldBy(owner) + 1)
    inUse++
    return true
  }

  /** Gives a slot back, to the next call that waits. */
  function release(owner: string | undefined): void {
    if (isEndless) return
    if (heldBy(owner) > 1) held.set(owner, heldBy(owner) - 1)
    else held.delete(owner)
    inUse--
    if (queues.size > 0) startNext()
  }

  function startNext(): void {
    const isPatient = Math.random() < PATIENT_SHARE
    const now = performance.now()
    const isFresh = ({ since }: Waiter) => isPatient || now - since <= MAX_WAIT_MS
    for (let next = findNext(isFresh); next; next = findNext(isFresh)) {
      const [owner, queue] = next
      const waiter = isFresh(queue[0]!) ? queue[0]! : queue.at(-1)!
      leave(owner, waiter)
      if (!waiter.start()) continue
      take(owner)
      if (queue.length === 0) return
      queues.delete(owner)
      queues.set(owner, queue)
      return
    }
  }

  /** Finds the owner whose turn it is, with the owner's queue. */
  function findNext(isFresh: (waiter: Waiter) => boolean) {
    let next: [string | undefined, Waiter[]] | undefined
    let lowest = Number.POSITIVE_INFINITY
    for (const entry of queues) {
      const [owner, queue] = entry
      if (!isFree(owner)) continue
      const rank = heldBy(owner) + (isFresh(queue.at(-1)!) || isNext(owner) ? 0 : max)
      if (rank >= lowest) continue
      lowest = rank
      next = entry
      if (rank === 0) break
    }
    return next
  }

  function leave(owner: string | undefined, waiter: Waiter): void {
    const queue = queues.get(owner)!
    queue.splice(queue.indexOf(waiter), 1)
    if (queue.length === 0) queues.delete(owner)
  }

  /** Whether an owner's only call waits for a slow one of somebody else's, and is next. */
  function isNext(owner: string | undefined): boolean {
    const isOnly = heldBy(owner) === 0 && queues.get(owner)!.length === 1
    return owner !== undefined && isOnly && queues.size <= 2
  }

  /**
   * Resolves when the call has got a slot. Rejects with an OverloadedError.
   *
   * @param assertNeeded asked at the call's turn: if it throws, the call is passed over, and rejects with that. A signal
   * would cost more than the wait
   */
  function wait(
    owner: string | undefined,
    assertNeeded: () => void,
    mayBeRefused: boolean,
  ): Promise<void> {
    const since = performance.now()
    if (queues.size === 0) standingSince = since
    const isOverload = since - standingSince > BURST_MS
    return new Promise((resolve, reject) => {
      const timer = mayBeRefused && isOverload ? setTimeout(refuse, MAX_WAIT_MS) : undefined
      function refuse(): void {
        if (isNext(owner)) return
        leave(owner, waiter)
        reject(refusal)
      }
      function start(): boolean {
        clearTimeout(timer)
        try {
          assertNeeded()
        } catch (error) {
          reject(error)
          return false
        }
        resolve()
        return true
      }
      const waiter = { since, start }
      const queue = queues.get(owner)
      if (queue) queue.push(waiter)
      else queues.set(owner, [waiter])
    })
  }

  return { take, wait, release }
}
