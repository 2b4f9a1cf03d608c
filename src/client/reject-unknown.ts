/** Throws on an option that is left over after the known ones were taken: it is misspelt. */
export function rejectUnknown(options: object): void {
  for (const name in options) throw new TypeError(`Unknown option: ${name}`)
}
