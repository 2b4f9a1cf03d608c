import { kindOf } from '../lib/arguments.ts'
import { ignoreRejection } from '../lib/promises.ts'
import { codeOf, isError } from '../lib/thrown.ts'
import type { RequestContext } from '../request-context.ts'
import { bearerToken, redact } from './token.ts'

/** The most errors that are described: the error itself, its causes and its `errors`. */
const MAX_ERRORS = 10

/** The most errors that are printed in one second, since `console.error` may be synchronous. */
const MAX_PER_SECOND = 100

let second = 0
let errors = 0
let refusals = 0

/**
 * The default `onError`: prints the error, its causes and their codes to `console.error`, with the request's token
 * redacted. Other properties are not printed, since those of HTTP clients and drivers may hold headers and parameters.
 * Of the errors of one second, the first 100 are printed, and of the requests that are refused because of overload,
 * the first.
 */
export function logError(error: unknown, context: Pick<RequestContext, 'request'>): void {
  ignoreRejection(error)
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) errors = refusals = 0
  second = now
  if (codeOf(error) === 'overloaded') {
    if (refusals++ === 0) console.error(String(error))
    return
  }
  if (errors++ < MAX_PER_SECOND) console.error(textOf(error, context))
  else if (errors === MAX_PER_SECOND + 1) {
    console.error(`More than ${MAX_PER_SECOND} errors in one second: the others are not printed`)
  }
}

function textOf(error: unknown, context: Pick<RequestContext, 'request'>): string {
  try {
    return redact(describe(error), bearerToken(context.request.headers))
  } catch {
    // The request can't be built, for example for a host that a URL doesn't allow. The error might hold the token.
    return 'An error whose token could not be redacted is not shown'
  }
}

/** Describes the error and then, line by line, what caused it. */
function describe(error: unknown): string {
  // A Set, since a cause may be circular. Errors that are added are visited too.
  const errors = new Set([error])
  const descriptions: string[] = []
  for (const one of errors) {
    if (descriptions.length === MAX_ERRORS) break
    descriptions.push(describeOne(one))
    for (const cause of causesOf(one)) errors.add(cause)
  }
  return descriptions.join('\ncaused by: ')
}

function describeOne(error: unknown): string {
  // The text of an object may hold anything.
  if (!isError(error)) return typeof error === 'object' ? kindOf(error) : String(error)
  const { stack, code } = error as Error & { code?: unknown }
  const text = stack ?? String(error)
  return typeof code === 'string' ? `${text}\ncode: ${code}` : text
}

function causesOf(error: unknown): unknown[] {
  if (!isError(error)) return []
  // Errors other than AggregateErrors have `errors` too, and theirs need not be a list.
  const { errors, cause } = error as Error & { errors?: unknown }
  return [...(Array.isArray(errors) ? errors : []), ...(cause === undefined ? [] : [cause])]
}

/** The most reasons that are logged in one minute: clients choose what a token says. */
const MAX_REASONS = 100
const MAX_LENGTH = 200
const MINUTE_MS = 60_000

let minute = 0
const logged = new Set<string>()

/**
 * The part of the default log that says why tokens, or callers of the host app, were refused. Logs each reason once a
 * minute.
 */
export function logRefusal(refused: 'token' | 'caller', status: number, reason: string): void {
  const now = Math.floor(Date.now() / MINUTE_MS)
  if (now !== minute) logged.clear()
  minute = now
  if (logged.size >= MAX_REASONS) return
  const shown = reason.slice(0, MAX_LENGTH).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
  const text = `A ${refused} was refused with ${status}: ${shown}`
  if (logged.has(text)) return
  logged.add(text)
  console.warn(text)
}
