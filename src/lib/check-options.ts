import { kindOf } from './kind-of.ts'

/**
 * Checks that the options are an object with known names only: a JavaScript caller would otherwise not learn
 * of a misspelt one.
 *
 * @param callee the name of the function that takes the options, for the message
 * @throws TypeError that says what was passed instead, or which option is unknown
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
 */
export function assertWholeNumber(option: string, value: unknown, min: number, max: number): void {
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return
  const got = typeof value === 'number' ? value : kindOf(value)
  throw new RangeError(`${option} must be a whole number from ${min} to ${max}; got ${got}`)
}
