import { kindOf } from '../../kind-of.ts'
import { assertKnownOptions } from '../../known-options.ts'

/**
 * Checks that the options are an object with known names only.
 *
 * @param known an object with the name of every option
 * @throws TypeError that says what was passed instead, or which option is unknown
 */
export function assertOptions(
  callee: string,
  options: unknown,
  known: Readonly<Record<string, true>>,
): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`${callee} needs an object of options; got ${kindOf(options)}`)
  }
  assertKnownOptions(callee, options, Object.keys(known))
}

/** @throws RangeError unless this is a whole number of milliseconds from `min` to `max` */
export function assertMilliseconds(option: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return
  const got = typeof value === 'number' ? value : kindOf(value)
  throw new RangeError(
    `${option} must be a whole number of milliseconds from ${min} to ${max}; got ${got}`,
  )
}
