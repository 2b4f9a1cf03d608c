import { kindOf } from '../../lib/arguments.ts'
import { isNonEmptyString } from './is-non-empty-string.ts'

/**
 * Reads the option `audience`: the value of `aud`, or several.
 *
 * @param others what else the option may be, for the message
 */
export function readAudiences(audience: unknown, others = ''): string[] {
  const audiences = [audience].flat()
  if (audiences.length > 0 && audiences.every(isNonEmptyString)) return audiences
  throw new TypeError(
    `audience must be the value or values of aud${others}; got ${kindOf(audience)}`,
  )
}
