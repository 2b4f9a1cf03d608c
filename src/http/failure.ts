import { CallTimeoutError, ClientGoneError, type ErrorName, errors } from '../errors.ts'
import { codeOf } from '../lib/thrown.ts'
import type { Reply } from '../reply.ts'
import { jsonReply } from './json-reply.ts'

interface FailureOptions {
  /** More specific than the catalogue's message. */
  message?: string
  headers?: Record<string, string>
  /** The underlying error: for `onError`, never for the client. */
  cause?: unknown
}

/**
 * An error of the catalogue, thrown anywhere in the core and turned into a reply in `respond.ts`. It does not extend
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

/** Creates the reply that tells the client of a failure. */
export function failureReply({ name, status, message, headers }: Failure): Reply {
  const { error } = errors[name]
  return jsonReply(JSON.stringify({ error, message }), { status, headers })
}

/**
 * Converts what failed a body to the Error that hosts expect. Some, such as Express, read its status. Without its cause,
 * which may hold a token, since hosts such as Deno print it.
 */
export function toHostError(thrown: unknown): Error {
  if (thrown instanceof ClientGoneError) return thrown
  const { name, status, message } = toFailure(thrown)
  return Object.assign(new Error(message), { name, status })
}
