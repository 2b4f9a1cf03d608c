import type { ErrorName } from '../errors.ts'

/**
 * Why a call failed: the error's name in the store's catalogue, or one of the client's own codes.
 *
 * - `network_error`: no response, a truncated one, or none within `timeoutMs`. `cause` has the reason, if there is one.
 * - `redirect_refused`: the response is a redirect, or it came from another origin, or the next page is at
 *   another origin. The client doesn't follow redirects: set `baseUrl` to the store's own address.
 * - `unexpected_response`: the response did not come from a plant store, or it has more than 64 MiB, or a page links to
 *   itself, or an empty page to another. If `error` is set, the store sent an error that this version of the client has no
 *   name for.
 */
export type PlantStoreErrorCode =
  | ErrorName
  | 'network_error'
  | 'redirect_refused'
  | 'unexpected_response'

/** Details of a `PlantStoreError`. */
export interface PlantStoreErrorOptions extends ErrorOptions {
  code: PlantStoreErrorCode
  status?: number | undefined
  error?: number | undefined
  retryAfterSeconds?: number | undefined
  mayHaveBeenApplied?: boolean | undefined
}

/**
 * The error that the client's calls reject with, unless `PlantClient` says otherwise.
 *
 * @example
 * ```ts
 * try {
 *   await plants.delete(7n)
 * } catch (error) {
 *   if (!(error instanceof PlantStoreError && error.code === 'plant_not_found')) throw error
 * }
 * ```
 */
export class PlantStoreError extends Error {
  override readonly name = 'PlantStoreError'
  /** Why the call failed. Stable: compare this rather than `message`. */
  declare readonly code: PlantStoreErrorCode
  /** The HTTP status; undefined if there was no response. A browser shows 0 for a redirect. */
  declare readonly status: number | undefined
  /** The `error` number in the store's response; undefined if the response did not come from a store. */
  declare readonly error: number | undefined
  /**
   * Whether a create or delete may have been applied all the same, by this try or an earlier one: after a network error,
   * after a response that isn't the store's, and after a 5xx other than `overloaded` and `auth_unavailable`. The `error` of
   * a later try doesn't change that. With `duplicate_id`, the plant that has the id may be the one of this call, and with a
   * random id it is. False for lists.
   */
  declare readonly mayHaveBeenApplied: boolean | undefined
  /** The seconds that the response asks to wait before another try (`Retry-After`); undefined if it doesn't. */
  declare readonly retryAfterSeconds: number | undefined

  constructor(message: string, options: PlantStoreErrorOptions) {
    super(message, options)
    Object.assign(this, options)
  }
}
