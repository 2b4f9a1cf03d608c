import { ClientGoneError, errors, type Failure, toFailure } from '../errors.ts'
import type { Reply } from '../reply.ts'

const COMMON_HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }

const JSON_HEADERS = { 'content-type': 'application/json', ...COMMON_HEADERS }

/** Creates a JSON reply. */
export function jsonReply(body: Reply['body'], headers?: Reply['headers'], status = 200): Reply {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body }
}

/** Creates a 204 reply. */
export function noContent(headers?: Record<string, string>): Reply {
  return { status: 204, headers: { ...COMMON_HEADERS, ...headers }, body: null }
}

/** Creates the reply that tells the client of a failure. */
export function failureReply({ name, status, message, headers }: Failure): Reply {
  const { error } = errors[name]
  return jsonReply(JSON.stringify({ error, message }), headers, status)
}

/**
 * Converts the error that broke a body to the Error that hosts expect. Express reads its status. It has no cause, which
 * may hold a token: Deno prints causes.
 */
export function toHostError(thrown: unknown): Error {
  if (thrown instanceof ClientGoneError) return thrown
  const { name, status, message } = toFailure(thrown)
  return Object.assign(new Error(message), { name, status })
}
