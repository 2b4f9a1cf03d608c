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
