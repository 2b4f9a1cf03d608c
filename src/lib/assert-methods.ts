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
  const isObject = value === Object(value) && !(value instanceof Promise)
  const got = isObject ? `${kindOf(value)} without ${missing}()` : kindOf(value)
  throw new TypeError(`${expectation}; got ${got}`)
}
