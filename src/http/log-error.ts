import type { RequestContext } from '../request-context.ts'
import { bearerToken } from './bearer.ts'
import { redactToken } from './redact-token.ts'

/** The most errors that are described: the error itself, its causes and its `errors`. */
const MAX_ERRORS = 10

/**
 * The most errors that are printed in one second. `console.error` is synchronous. Where the verifier throws,
 * which one connection can cause thousands of times in a second, printing each error to a file adds 10 µs to
 * the 15 µs of its request (5 000 calls of `handle` in a loop).
 */
const MAX_PER_SECOND = 100

let second = 0
let printed = 0
let omitted = 0

/**
 * The default `onError`: prints the error, its causes and their codes to `console.error`, without the
 * request's token. Other properties are not printed, since those of HTTP clients and drivers may hold headers
 * and parameters. After 100 errors in one second, the others are only counted, and the next error that is
 * printed comes after their number. Never throws, whatever the error and the request are.
 */
export function logError(error: unknown, context: RequestContext): void {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) printed = 0
  second = now
  if (printed === MAX_PER_SECOND) {
    omitted++
    return
  }
  printed++
  if (omitted > 0) console.error(`Errors that were not printed: ${omitted}`)
  omitted = 0
  print(error, context)
  if (printed === MAX_PER_SECOND) {
    console.error(`${MAX_PER_SECOND} errors in one second: the rest of this second is only counted`)
  }
}

function print(error: unknown, context: RequestContext): void {
  const text = attempt(() => {
    const token = bearerToken(context.request.headers)
    const description = describe(error)
    return token === undefined ? description : redactToken(description, token)
  })
  // Unredacted, the error might contain the token.
  console.error(
    text ?? 'An error occurred. It is not shown, because its token could not be redacted',
  )
}

/** Describes the error and then, line by line, what caused it. */
function describe(error: unknown): string {
  // A Set, since a cause may be circular. Errors that are added are visited too.
  const errors = new Set([error])
  const descriptions: string[] = []
  for (const one of errors) {
    if (descriptions.length === MAX_ERRORS) break
    const prefix = descriptions.length === 0 ? '' : 'caused by: '
    descriptions.push(prefix + (attempt(() => describeOne(one)) ?? 'a value that cannot be read'))
    for (const cause of attempt(() => causesOf(one)) ?? []) errors.add(cause)
  }
  return descriptions.join('\n')
}

function describeOne(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { stack, code } = error as Error & { code?: unknown }
  const text = String(stack ?? error)
  return typeof code === 'string' ? `${text}\ncode: ${code}` : text
}

function causesOf(error: unknown): unknown[] {
  if (!(error instanceof Error)) return []
  // Errors other than AggregateErrors have `errors` too, and theirs need not be a list.
  const { errors, cause } = error as Error & { errors?: unknown }
  return [...(Array.isArray(errors) ? errors : []), ...(cause === undefined ? [] : [cause])]
}

/** Returns undefined if the function throws: getters, Proxies and toString can. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}
