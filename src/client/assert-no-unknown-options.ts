/** Throws if an option is left after the known ones were taken. It is probably misspelt. */
export function assertNoUnknownOptions(options: object): void {
  for (const name in options) throw new TypeError(`Unknown option: ${name}`)
}
