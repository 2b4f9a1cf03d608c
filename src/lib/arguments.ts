/** The greatest int32: of `limit`, and of the time that setTimeout() takes. */
export const MAX_INT32 = 2 ** 31 - 1

/** Names the kind of a value for error messages: "a string", "an array", "null". Never shows its content. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (Object.prototype.toString.call(value) === '[object Promise]') return 'a promise'
  if (value === '') return 'an empty string'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Shows a wrong value of an option that is not secret: a string in quotes, or the kind of another value. */
export function quotedOrKind(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : kindOf(value)
}

/**
 * Checks that the options are an object with known names only: a JavaScript caller would otherwise not learn
 * of a misspelt one.
 *
 * @param callee the name of the function that takes the options, for the message
 * @throws TypeError that says what was passed instead, or which option is unknown
 *
 * @example
 * ```ts
 * function toHandler(store: PlantStore, options: { prefix?: string } = {}) {
 *   assertOptions('toHandler', options, ['prefix'])
 *   // ...
 * }
 * ```
 */
export function assertOptions(callee: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`${callee} takes an object of options; got ${kindOf(options)}`)
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new TypeError(`${callee} has no option ${unknown}; the options are ${known.join(', ')}`)
}

/**
 * Checks an option that is a number.
 *
 * @throws RangeError unless the value is a whole number from `min` to `max`
 *
 * @example
 * ```ts
 * const port = Number(process.env.PORT ?? 3000)
 * assertWholeNumber('port', port, 0, 65_535)
 * ```
 */
export function assertWholeNumber(option: string, value: unknown, min: number, max: number): void {
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return
  const got = typeof value === 'number' ? value : kindOf(value)
  throw new RangeError(`${option} must be a whole number from ${min} to ${max}; got ${got}`)
}

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

/** Throws a TypeError that says what was passed instead, unless the value is a function. */
export function assertFunction(expectation: string, value: unknown): void {
  if (typeof value !== 'function') throw new TypeError(`${expectation}; got ${kindOf(value)}`)
}

/**
 * Checks a maximum number of calls at once.
 *
 * @throws RangeError unless the value is Infinity or a whole number of 1 or more
 */
export function assertCallCount(option: string, value: unknown): void {
  if (value === Number.POSITIVE_INFINITY) return
  assertWholeNumber(option, value, 1, Number.MAX_SAFE_INTEGER)
}
