import type { MaybePromise } from './lib/promises.ts'
import type { StoredPlant } from './plant.ts'

/**
 * Where plants are kept. These three methods are a whole storage: the core does the paging, streaming,
 * validation and errors. A method may return its result or a promise of it. Each call is atomic, and
 * every later call sees what an earlier one has returned.
 *
 * When a method can't reach its data it throws `StorageUnavailableError`, and the client gets 503 with
 * `Retry-After`. Anything else that it throws, or a result of the wrong shape, is a bug: the client gets
 * 500, and `onError` gets the error.
 *
 * Owners are compared exactly: no trimming, no case folding, no Unicode normalization. A storage keeps
 * owners of up to 1404 bytes of UTF-8, and any name and tag that fits in a request body.
 *
 * Prove your storage with `testPlantStorage` of `plant-store/testing`.
 *
 * @example
 * ```ts
 * // Wrap a storage to extend it. The arrow functions keep `this`, so a class instance works too.
 * function counted(storage: PlantStorage, onCreate: () => void): PlantStorage {
 *   return {
 *     async create(owner, plant, call) {
 *       const created = await storage.create(owner, plant, call)
 *       if (created) onCreate()
 *       return created
 *     },
 *     list: (owner, query, call) => storage.list(owner, query, call),
 *     delete: (owner, id, call) => storage.delete(owner, id, call),
 *     close: () => storage.close?.(),
 *     maxConcurrentCalls: storage.maxConcurrentCalls,
 *   }
 * }
 * ```
 */
export interface PlantStorage {
  /**
   * Adds the plant.
   *
   * @returns `true` once the plant is stored as durably as this storage promises; `false`, with nothing
   *   changed, when the owner already has a plant with that id. Of any number of concurrent creates
   *   with one id, exactly one returns `true`.
   */
  create(owner: string, plant: StoredPlant, call?: StorageCall): MaybePromise<boolean>

  /**
   * Reads one page of the owner's plants.
   *
   * @returns the plants with `id > query.after`, by ascending id, at most `query.limit` of them. Fewer
   *   than `limit` means that these are the last.
   */
  list(owner: string, query: PageQuery, call?: StorageCall): MaybePromise<readonly StoredPlant[]>

  /**
   * Removes the plant.
   *
   * @returns `true` once the plant is removed as durably as this storage promises; `false` when the
   *   owner has no plant with that id.
   */
  delete(owner: string, id: bigint, call?: StorageCall): MaybePromise<boolean>

  /**
   * How many calls of each method it works on at once, for example the size of its pool. Further calls wait in the store:
   * the owner with the fewest calls in progress is next, and a call that waits for too long is refused with 503 `overloaded`.
   * Default: no limit.
   */
  readonly maxConcurrentCalls?: number | undefined

  /** Releases files and connections. Called once, when no other call is in progress. */
  close?: (() => MaybePromise<void>) | undefined
}

/**
 * The optional last parameter of each method, for a storage whose driver can cancel a request.
 *
 * @example
 * ```ts
 * async function deletePlant(owner: string, id: bigint, call?: StorageCall): Promise<boolean> {
 *   const url = `https://database.example/${encodeURIComponent(owner)}/${id}`
 *   const { ok } = await fetch(url, { method: 'DELETE', signal: call?.signal ?? null })
 *   return ok
 * }
 * ```
 */
export interface StorageCall {
  /** Aborted when the client has disconnected or `timeoutMs` has passed. Built when it is first read. */
  readonly signal: AbortSignal
}

/** The page of the owner's plants to read. */
export interface PageQuery {
  /** Only plants with a greater id. Default: from the smallest id. */
  readonly after?: bigint | undefined
  /** The maximum number of plants to return, 1 or more. */
  readonly limit: number
}
