import { assertOptions, assertWholeNumber } from './lib/arguments.ts'
import { codeOf } from './lib/thrown.ts'

/**
 * One row of the catalogue: the `error` and `message` of the body, and the HTTP status.
 *
 * @example
 * ```ts
 * const table: Record<string, ErrorDefinition> = errors
 * for (const [name, { error, status }] of Object.entries(table)) console.log(error, status, name)
 * ```
 */
export interface ErrorDefinition {
  /** The value that programs compare. */
  readonly error: number
  /** The HTTP status. */
  readonly status: number
  /** The message, where a response has no more specific one. */
  readonly message: string
}

/**
 * Every error that a client can get, by name. Programs compare `error`. `message` is for people, and a
 * response may carry a more specific one than the catalogue.
 *
 * @example
 * ```ts
 * const body = await response.json()
 * if (body.error === errors.duplicate_id.error) console.log('Pick another id')
 * ```
 */
export const errors = {
  malformed_json: { error: 40001, status: 400, message: 'The body is not valid JSON in UTF-8.' },
  invalid_plant: { error: 40002, status: 400, message: 'The body is not a NewPlant.' },
  duplicate_id: { error: 40003, status: 400, message: 'A plant with this id already exists.' },
  invalid_limit: {
    error: 40004,
    status: 400,
    message: 'limit must be given at most once, as a whole number from 0 to 2147483647.',
  },
  invalid_cursor: {
    error: 40005,
    status: 400,
    message:
      'cursor must be given at most once, as it appeared in the Link header of a previous page.',
  },
  invalid_id: {
    error: 40006,
    status: 400,
    message:
      'The id in the path must be a whole number from -9223372036854775808 to 9223372036854775807, without leading zeros.',
  },
  missing_token: {
    error: 40101,
    status: 401,
    message: 'Send the header Authorization: Bearer <token>.',
  },
  invalid_token: { error: 40102, status: 401, message: 'The token is not valid.' },
  insufficient_scope: { error: 40301, status: 403, message: 'The token lacks the scope.' },
  plant_not_found: { error: 40401, status: 404, message: 'No plant has this id.' },
  route_not_found: { error: 40402, status: 404, message: 'Nothing is served at this path.' },
  method_not_allowed: {
    error: 40501,
    status: 405,
    message: 'Method not allowed; the Allow header lists the methods of this path.',
  },
  body_too_large: { error: 41301, status: 413, message: 'The body is too large.' },
  unsupported_media_type: {
    error: 41501,
    status: 415,
    message: 'Send the body as Content-Type: application/json, without Content-Encoding.',
  },
  rate_limited: {
    error: 42901,
    status: 429,
    message: 'Too many requests. Retry after the time in the Retry-After header.',
  },
  internal: { error: 50001, status: 500, message: 'Something went wrong on the server.' },
  storage_unavailable: {
    error: 50301,
    status: 503,
    message: 'The storage is temporarily unavailable. Retry soon.',
  },
  auth_unavailable: {
    error: 50302,
    status: 503,
    message: 'The caller could not be checked. Retry soon.',
  },
  timeout: { error: 50303, status: 503, message: 'The server took too long. Retry soon.' },
  overloaded: { error: 50304, status: 503, message: 'The server is busy. Retry soon.' },
} as const satisfies Record<string, ErrorDefinition>

/** The name of an error in the catalogue. */
export type ErrorName = keyof typeof errors

/**
 * Thrown by a storage that can't reach its data: a lost connection, a full disk, a lock held too long.
 * The client gets 503 `storage_unavailable` and may retry. The core recognises it by its `code`, so an
 * error of a second copy of this package, or any with that `code`, works too.
 *
 * @example
 * ```ts
 * throw new StorageUnavailableError('The database refuses connections', { cause: error })
 * ```
 */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError'
  /** Stable: compare this rather than the class. */
  readonly code = 'storage_unavailable'
}

/** The options of `RateLimitedError`. */
export interface RateLimitedErrorOptions extends ErrorOptions {
  /** When the client may retry, in seconds, for `Retry-After`. A whole number. Default: 1. */
  retryAfterSeconds?: number | undefined
}

/**
 * Thrown by a verifier, or by a wrapper around a storage, for a caller that exceeds its rate. The client
 * gets 429 `rate_limited` (RFC 6585, section 4). The core recognises it by its `code`.
 *
 * @param message for your logs; the client gets the message of the catalogue
 * @throws RangeError when `retryAfterSeconds` is not a whole number of 0 or more
 *
 * @example
 * ```ts
 * const limited: AuthVerifier = async (token, context) => {
 *   if (!bucket.take(token)) throw new RateLimitedError('More than 10 a second', { retryAfterSeconds: 7 })
 *   return verify(token, context)
 * }
 * ```
 */
export class RateLimitedError extends Error {
  override readonly name = 'RateLimitedError'
  /** Stable: compare this rather than the class. */
  readonly code = 'rate_limited'
  /** When the client may retry, in seconds. */
  readonly retryAfterSeconds: number

  constructor(
    message?: string,
    { retryAfterSeconds = 1, ...options }: RateLimitedErrorOptions = {},
  ) {
    super(message, options)
    assertOptions('RateLimitedError', options, ['retryAfterSeconds', 'cause'])
    assertWholeNumber('retryAfterSeconds', retryAfterSeconds, 0, Number.MAX_SAFE_INTEGER)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * Thrown by `readBody` when a middleware in front of the store has already read the body, or has listened to it while
 * an asynchronous middleware made the store wait. That is the app's mistake: the client gets 500, and `onError` gets this
 * error.
 *
 * @example
 * ```ts
 * const readBody = async () => {
 *   if (request.bodyUsed) throw new BodyConsumedError()
 *   return request.text()
 * }
 * ```
 */
export class BodyConsumedError extends Error {
  override readonly name = 'BodyConsumedError'
  /** Stable: compare this rather than the class. */
  readonly code = 'body_consumed'
  override readonly message =
    'The request body was already read before the plant store got it: mount the store before the body parser, and before ' +
    'an asynchronous middleware that runs after a listener to the body'
}

/**
 * Rejects a call that was refused before it began, since too many wait. The core recognises it by its `code`. Create it
 * once and not for each refusal: capturing its stack takes as long as the rest.
 */
export class OverloadedError extends Error {
  override readonly name = 'OverloadedError'
  readonly code = 'overloaded'
}

/** Rejects a call that has exceeded the time limit. The call may still be in progress. */
export class CallTimeoutError extends Error {
  override readonly name = 'TimeoutError'
  readonly call: Promise<unknown>

  constructor(timeoutMs: number, call: Promise<unknown>) {
    super(`No result within ${timeoutMs} ms`)
    this.call = call
  }
}

/** Ends the work for a client that has disconnected. Not an error, so `onError` isn't called. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'
}

/** Its `cause` is for `onError`, never for the client. */
interface FailureOptions extends ErrorOptions {
  /** More specific than the catalogue's message. */
  message?: string
  headers?: Record<string, string>
}

/**
 * An error of the catalogue, thrown anywhere in the core and turned into a reply in `http/respond.ts`. It does not extend
 * Error, because capturing a stack takes longer than the rest of a 401.
 */
export class Failure {
  readonly name: ErrorName
  readonly status: number
  readonly message: string
  readonly headers: Record<string, string>
  readonly cause: unknown

  constructor(name: ErrorName, { message, headers, cause }: FailureOptions = {}) {
    this.name = name
    this.status = errors[name].status
    this.message = message ?? errors[name].message
    this.headers = { ...(this.status === 503 && { 'retry-after': '1' }), ...headers }
    this.cause = cause
  }
}

/** Returns a Failure as it is, and maps what a storage or a verifier threw. Anything else is a bug: 500. */
export function toFailure(cause: unknown): Failure {
  if (cause instanceof Failure) return cause
  if (cause instanceof CallTimeoutError) return new Failure('timeout', { cause })
  const code = codeOf(cause)
  if (code === 'rate_limited') return rateLimited(cause)
  const isKnown = code === 'storage_unavailable' || code === 'overloaded'
  return new Failure(isKnown ? code : 'internal', { cause })
}

function rateLimited(cause: unknown): Failure {
  const { retryAfterSeconds } = cause as { retryAfterSeconds?: unknown }
  const seconds = Number.isSafeInteger(retryAfterSeconds)
    ? Math.max(0, Number(retryAfterSeconds))
    : 1
  return new Failure('rate_limited', { headers: { 'retry-after': String(seconds) }, cause })
}
