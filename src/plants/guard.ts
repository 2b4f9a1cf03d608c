import { StorageUnavailableError } from '../errors.ts'
import { assertConnected, type Exchange, TimedCall, watchConnection } from '../http/context.ts'
import { assertCallCount, kindOf } from '../lib/arguments.ts'
import { isPromiseLike, type MaybePromise } from '../lib/promises.ts'
import type { ResolvedOptions } from '../options.ts'
import { createSlots, type Slots } from '../overload.ts'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery, PlantStorage, StorageCall } from '../plant-storage.ts'

/** A storage as the operations use it. */
export type GuardedStorage = ReturnType<typeof guardStorage>

/**
 * Wraps a storage: each call waits for its turn, has a time limit, and is refused once the store is closed. A result of the
 * wrong shape is a TypeError, so that no client gets a 200 or a 404 from a storage that returns `undefined`.
 */
export function guardStorage(storage: PlantStorage, options: ResolvedOptions) {
  const { timeoutMs, maxConcurrentCalls = storage.maxConcurrentCalls ?? Infinity } = options
  assertCallCount('maxConcurrentCalls of the storage', maxConcurrentCalls)
  // One queue for each method, so that a list never waits for creates that wait for a lock.
  const creates = createSlots(maxConcurrentCalls)
  const lists = createSlots(maxConcurrentCalls)
  const deletes = createSlots(maxConcurrentCalls)
  const checkCreated = checkBoolean('create')
  const checkDeleted = checkBoolean('delete')
  // A counter, since a set of the promises would keep each call that never ends, with its request and its connection.
  let running = 0
  let whenIdle = () => {}
  let closing: Promise<void> | undefined

  async function run<T>(
    slots: Slots,
    { request, context }: Exchange,
    owner: string,
    begin: (call: StorageCall) => MaybePromise<T>,
    check: (result: T) => T,
    { mayBeRefused = true, needsClient = false } = {},
  ): Promise<T> {
    const call = new TimedCall(context)
    let timeLeft = timeoutMs
    if (!slots.take(owner)) {
      const since = performance.now()
      watchConnection(request)
      function assertNeeded(): void {
        call.assertInTime()
        assertConnected(request)
      }
      try {
        await call.limit(slots.wait(owner, assertNeeded, mayBeRefused), timeoutMs)
      } catch (error) {
        // A client that has disconnected is neither refused nor late.
        assertConnected(request)
        throw error
      }
      timeLeft -= performance.now() - since
    }
    try {
      if (closing) throw new StorageUnavailableError('The store is closed')
      const result = begin(call)
      if (!isPromiseLike(result)) return check(result)
      running++
      if (needsClient) watchConnection(request)
      // Once, since a query builder runs its query each time that it is awaited.
      const value = await call.limit(Promise.resolve(result), timeoutMs, end, timeLeft)
      if (needsClient) assertConnected(request)
      return check(value)
    } finally {
      slots.release(owner)
    }
  }

  function end(): void {
    running--
    if (running === 0) whenIdle()
  }

  async function close(): Promise<void> {
    if (running > 0) await new Promise<void>((resolve) => (whenIdle = resolve))
    await storage.close?.()
  }

  return {
    create(exchange: Exchange, owner: string, plant: StoredPlant) {
      const begin = (call: StorageCall) => storage.create(owner, plant, call)
      return run(creates, exchange, owner, begin, checkCreated)
    },
    /** @param isLaterPage whether the list has begun, so that refusing this page would break it */
    list(exchange: Exchange, owner: string, query: PageQuery, isLaterPage = false) {
      const begin = (call: StorageCall) => storage.list(owner, query, call)
      const options = { mayBeRefused: !isLaterPage, needsClient: true }
      return run(lists, exchange, owner, begin, (page) => checkPage(query, page), options)
    },
    delete(exchange: Exchange, owner: string, id: bigint) {
      const begin = (call: StorageCall) => storage.delete(owner, id, call)
      return run(deletes, exchange, owner, begin, checkDeleted)
    },
    /** Like `close` of the store. */
    close() {
      closing ??= close()
      return closing
    },
  }
}

function checkBoolean(method: string) {
  return (result: unknown): boolean => {
    if (typeof result === 'boolean') return result
    throw new TypeError(`The storage's ${method} must return true or false; got ${kindOf(result)}`)
  }
}

/** The plants of a page are checked where they are written, in `list.ts`. */
function checkPage({ limit }: PageQuery, page: unknown): readonly StoredPlant[] {
  if (!Array.isArray(page)) throw wrongPage('an array', kindOf(page))
  if (page.length > limit) throw wrongPage(`at most ${limit} plants`, page.length)
  return page
}

/** Creates the error for a page of the wrong shape. */
export function wrongPage(expected: string, got: string | number): TypeError {
  return new TypeError(`The storage's list must return ${expected}; got ${got}`)
}
