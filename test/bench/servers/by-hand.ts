import { STORABLE_TEXT } from './contract.ts'

const FRACTION_OR_EXPONENT = /\d[.eE]/
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** JSON of a NewPlant, its id exact as a bigint: by hand, for the floor of each runtime. */
export function parseNewPlantJson(bytes: Uint8Array): unknown {
  const text = utf8.decode(bytes)
  const value = JSON.parse(text)
  if (typeof value?.id !== 'number') return value
  if (!Number.isSafeInteger(value.id) || FRACTION_OR_EXPONENT.test(text)) {
    // Never so in what is measured: a literal in plain digits is read exactly, any other refused.
    const literal = /"id"\s*:\s*(-?\d{1,19})\s*[,}]/.exec(text)?.[1]
    return { ...value, id: literal === undefined ? value.id : BigInt(literal) }
  }
  value.id = BigInt(value.id)
  return value
}

const storable = new RegExp(STORABLE_TEXT, 'u')
const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n

/** What is wrong with what should be a NewPlant, its id a bigint; undefined if nothing is. */
export function problemOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'The body must be a JSON object.'
  }
  const { id, name, tag } = value as Record<string, unknown>
  if (typeof id !== 'bigint' || id < INT64_MIN || id > INT64_MAX) {
    return `id must be an integer from ${INT64_MIN} to ${INT64_MAX}.`
  }
  if (typeof name !== 'string') return 'name must be a string.'
  if (!storable.test(name)) return 'name must not contain U+0000 or a lone surrogate.'
  if (tag === undefined) return undefined
  if (typeof tag !== 'string') return 'tag must be a string.'
  return storable.test(tag) ? undefined : 'tag must not contain U+0000 or a lone surrogate.'
}
