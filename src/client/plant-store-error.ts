import type { ErrorName, errors } from '../errors.ts'

/**
 * Why a call failed: the error's name in the store's catalogue, or one of the client's own codes.
 *
 * - `network_error`: no response, a truncated one, or none within `timeoutMs`. `cause` has the reason, if there is one.
 * - `redirect_refused`: the response is a redirect, or it came from another origin, or the next page is at
 *   another origin. The client doesn't follow redirects: set `baseUrl` to the store's own address.
 * - `unexpected_response`: the response did not come from a plant store, or it has more than 64 MiB, or a page links to
 *   one that was read before, or an empty page to another. If `error` is set, the store sent an error that this version of
 *   the client has no name for.
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
   * Whether a create or delete may still have been applied, by this try or an earlier one: after a network error,
   * after a response that isn't the store's, and after a 5xx other than `overloaded` and `auth_unavailable`. The `error` of
   * a later try doesn't change that. After `duplicate_id`, the existing plant may be the one that this call created; with a
   * random id, it certainly is. False for lists.
   */
  declare readonly mayHaveBeenApplied: boolean | undefined
  /** The seconds that the response asks to wait before another try (`Retry-After`); undefined if it doesn't. */
  declare readonly retryAfterSeconds: number | undefined

  constructor(message: string, options: PlantStoreErrorOptions) {
    super(message, options)
    Object.assign(this, options)
  }
}

/**
 * The names of the catalogue by number, without its messages. The compiler checks this table against the
 * catalogue.
 */
export const ERROR_NAMES: Record<number, ErrorName> = {
  40001: 'malformed_json',
  40002: 'invalid_plant',
  40003: 'duplicate_id',
  40004: 'invalid_limit',
  40005: 'invalid_cursor',
  40006: 'invalid_id',
  40101: 'missing_token',
  40102: 'invalid_token',
  40301: 'insufficient_scope',
  40401: 'plant_not_found',
  40402: 'route_not_found',
  40501: 'method_not_allowed',
  41301: 'body_too_large',
  41501: 'unsupported_media_type',
  42901: 'rate_limited',
  50001: 'internal',
  50301: 'storage_unavailable',
  50302: 'auth_unavailable',
  50303: 'timeout',
  50304: 'overloaded',
} satisfies { [Name in ErrorName as (typeof errors)[Name]['error']]: Name }
