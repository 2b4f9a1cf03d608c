/**
 * Throws a TypeError for an option that doesn't exist: JavaScript callers would otherwise not learn of a
 * misspelt one.
 */
export function assertKnownOptions(
  caller: string,
  options: object,
  known: readonly string[],
): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new TypeError(`${caller} has no option ${unknown}; the options are ${known.join(', ')}`)
}
