import { readDelay } from '../settings.ts'
import { FAILURES } from './failures.ts'

/** What a request asks the mock for. */
export type Demand = ReturnType<typeof readDemand>

/**
 * Reads the preferences `delay`, and `plant-store`, `example` or `code`, of which the first counts.
 *
 * @throws RangeError if the mock doesn't know a value: a test with a typo must not succeed
 */
export function readDemand(header: string) {
  const preferences = parsePrefer(header)
  const delay = preferences.get('delay')
  const name = ['plant-store', 'example', 'code'].find((one) => preferences.has(one))
  const asked = `${name}=${preferences.get(name!)}`
  // A success is left to the store, and to it alone.
  const preference = !name || /^code=2\d\d$/.test(asked) ? undefined : asked
  if (preference !== undefined && !Object.hasOwn(FAILURES, preference)) {
    const known = Object.keys(FAILURES).flatMap((one) => one.split(`${name}=`)[1] ?? [])
    throw new RangeError(
      `Prefer: ${preference} is not known. The values are ${known.sort().join(', ')}.`,
    )
  }
  return {
    /** The preference `delay`, as it was sent. */
    delay,
    delayMs: delay === undefined ? undefined : readDelay('Prefer: delay', delay),
    /** The preference that asks for a failure. Undefined for a success. */
    preference,
  }
}

/** A preference with its value, as a token or quoted, and what follows up to the next comma. */
const PREFERENCE =
  /(?:^|,)\s*([\w!#$%&'*+.^`|~-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*)))?(?:"(?:[^"\\]|\\.)*"|[^",])*/g

/**
 * Reads a Prefer header (RFC 7240, section 2): the value of each preference by its name in lower case. The first of a name
 * counts. Parameters are dropped.
 */
export function parsePrefer(header: string): Map<string, string> {
  const preferences = new Map<string, string>()
  for (const [, name, quoted, token = ''] of header.matchAll(PREFERENCE)) {
    const key = name!.toLowerCase()
    const value = quoted?.replace(/\\(.)/g, '$1') ?? token
    if (!preferences.has(key)) preferences.set(key, value)
  }
  return preferences
}
