/** The stable `code` of a thrown value. Not its class: two copies of this package may meet in one process. */
export function codeOf(thrown: unknown): unknown {
  return (thrown as { code?: unknown } | null | undefined)?.code
}

/** Whether a value is an Error, also one of another realm, where `instanceof` fails: of Jest, or of a pool of vitest. */
export function isError(value: unknown): value is Error {
  // node-fetch gives its errors another tag.
  if (value instanceof Error) return true
  return /^\[object (?:Error|DOMException)\]$/.test(Object.prototype.toString.call(value))
}
