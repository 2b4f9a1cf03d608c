import { kindOf } from './kind-of.ts'

/**
 * Checks that an argument has the methods that will be called, for JavaScript callers. Its content is not in the
 * message: a connection string may contain a password.
 *
 * @param expectation what the argument must be, for the message
 * @throws TypeError that says what was passed instead, or which method is missing
 */
export function assertMethods(
  expectation: string,
  value: unknown,
  methods: readonly string[],
): void {
  const missing = methods.find((method) => typeof Object(value)[method] !== 'function')
  if (missing === undefined) return
  const kind = kindOf(value)
  const isObject = value === Object(value) && kind !== 'a promise'
  const got = isObject ? `${kind} without ${missing}()` : kind
  throw new TypeError(`${expectation}; got ${got}`)
}
