import type { MaybePromise } from './maybe-promise.ts'
import type { StoredPlant } from './plant.ts'

/**
 * Where plants are kept. Three methods are a whole backend: paging, streaming, validation and errors
 * are the core's. Each may answer at once or with a promise; each call is atomic; and what has been
 * answered is seen by every later call.
 *
 * A method that can't reach its data throws `StorageUnavailableError`, which the client gets as 503
 * with `Retry-After`; anything else that it throws is a bug and becomes 500.
 *
 * Owners are compared exactly: no trimming, no case folding, no Unicode normalization.
 *
 * `testPlantStorage` of `plant-store/testing` checks all of this on a storage of your own.
 *
 * @example
 * ```ts
 * function counted(storage: PlantStorage, onCreate: () => void): PlantStorage {
 *   return {
 *     ...storage,
 *     async create(owner, plant) {
 *       const created = await storage.create(owner, plant)
 *       if (created) onCreate()
 *       return created
 *     },
 *   }
 * }
 * ```
 */
export interface PlantStorage {
  /**
   * Adds the plant.
   *
   * @returns `true` once it is stored as durably as this storage promises; `false`, and nothing
   *   changed, when the owner already has a plant with that id. Of any number of concurrent creates
   *   of one id, exactly one is told `true`.
   */
  create(owner: string, plant: StoredPlant): MaybePromise<boolean>

  /**
   * Reads one page of the owner's plants.
   *
   * @param page `limit` is how many plants to answer at most, 1 or more; `after` leaves out all ids
   *   up to and including it.
   * @returns the plants with id > after, by ascending id. Fewer than `limit` of them mean that there
   *   are no more.
   */
  list(owner: string, page: { after?: bigint; limit: number }): MaybePromise<StoredPlant[]>

  /**
   * Removes the plant.
   *
   * @returns `true` once it is gone as durably as this storage promises; `false` when the owner has
   *   no plant with that id.
   */
  delete(owner: string, id: bigint): MaybePromise<boolean>

  /** Gives back what the storage holds (files, connections) once no call is under way. */
  close?(): MaybePromise<void>
}

/**
 * Thrown by a storage that can't reach its data just now: a lost connection, a full disk, a lock held
 * too long. The client gets 503 `storage_unavailable` and may try again.
 *
 * @example
 * ```ts
 * throw new StorageUnavailableError('The database refuses connections', { cause: error })
 * ```
 */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError'
}
