import { StorageUnavailableError } from '../errors.ts'
import { type Exchange, TimedCall, waitFor } from '../http/context.ts'
import { assertCallCount, kindOf } from '../lib/arguments.ts'
import { isPromiseLike, type MaybePromise } from '../lib/promises.ts'
import { createTurns, type Turns } from '../overload.ts'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery, PlantStorage, StorageCall } from '../plant-storage.ts'

/** A storage as the operations use it. */
export interface GuardedStorage {
  create(exchange: Exchange, owner: string, plant: StoredPlant): Promise<boolean>
  /** @param isLaterPage whether the list has begun, so that refusing this page would break it */
  list(
    exchange: Exchange,
    owner: string,
    query: PageQuery,
    isLaterPage?: boolean,
  ): Promise<readonly StoredPlant[]>
  delete(exchange: Exchange, owner: string, id: bigint): Promise<boolean>
  /** Closes the storage, once, when the calls of it that have begun are done, even those that have timed out. */
  close(): Promise<void>
}

interface GuardOptions {
  readonly timeoutMs: number
  readonly maxConcurrentCalls?: number | undefined
}

/**
 * Wraps a storage: each call waits for its turn, has a time limit, and is refused once the store is closed. A result of the
 * wrong shape is a TypeError, so that no client gets a 200 or a 404 from a storage that returns `undefined`.
 */
export function guardStorage(storage: PlantStorage, options: GuardOptions): GuardedStorage {
  const { timeoutMs, maxConcurrentCalls = storage.maxConcurrentCalls ?? Infinity } = options
  assertCallCount('maxConcurrentCalls of the storage', maxConcurrentCalls)
  // One each, so that a list never waits for creates that wait for a lock.
  const creates = createTurns(maxConcurrentCalls)
  const lists = createTurns(maxConcurrentCalls)
  const deletes = createTurns(maxConcurrentCalls)
  // A number, since a set of the promises would keep each call that never ends, with its request and its connection.
  let running = 0
  let whenIdle = () => {}
  let closing: Promise<void> | undefined

  async function run<T>(
    turns: Turns,
    { request, context }: Exchange,
    owner: string,
    begin: (call: StorageCall) => MaybePromise<T>,
    { mayBeRefused = true, mayBeAbandoned = false } = {},
  ): Promise<T> {
    const call = new TimedCall(context)
    if (!turns.take(owner)) {
      await call.limit(turns.wait(owner, call.signal, mayBeRefused), timeoutMs)
    }
    try {
      if (closing) throw new StorageUnavailableError('The store is closed')
      const result = begin(call)
      if (!isPromiseLike(result)) return result
      running++
      // Once, since a query builder runs its query each time that it is awaited.
      const limited = call.limit(Promise.resolve(result), timeoutMs, end)
      return await (mayBeAbandoned ? waitFor(request, limited) : limited)
    } finally {
      turns.end(owner)
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
    async create(exchange, owner, plant) {
      const begin = (call: StorageCall) => storage.create(owner, plant, call)
      return checkBoolean('create', await run(creates, exchange, owner, begin))
    },
    async list(exchange, owner, query, isLaterPage = false) {
      const begin = (call: StorageCall) => storage.list(owner, query, call)
      const options = { mayBeRefused: !isLaterPage, mayBeAbandoned: true }
      return checkPage(query, await run(lists, exchange, owner, begin, options))
    },
    async delete(exchange, owner, id) {
      const begin = (call: StorageCall) => storage.delete(owner, id, call)
      return checkBoolean('delete', await run(deletes, exchange, owner, begin))
    },
    close() {
      closing ??= close()
      return closing
    },
  }
}

function checkBoolean(method: string, result: unknown): boolean {
  if (typeof result === 'boolean') return result
  throw new TypeError(`The storage's ${method} must return true or false; got ${kindOf(result)}`)
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
