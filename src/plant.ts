import * as z from 'zod/mini'
import { INT64_MAX, INT64_MIN } from './plants/int64.ts'

const orRequired =
  (expectation: string) =>
  ({ input }: { input?: unknown }) =>
    input === undefined ? 'is required' : expectation

/**
 * Text that every storage can keep: without U+0000 and well-formed. With the u flag, \p{Surrogate}
 * matches lone surrogates only, since a pair is one character.
 */
export const storableText = /^[^\0\p{Surrogate}]*$/u

const text = z
  .string({ error: orRequired('must be a string') })
  .check(z.regex(storableText, 'must not contain U+0000 or a lone surrogate'))

/**
 * The Plant of the wire (specification, part 2), as a zod schema and as a type: what create answers
 * and what list is an array of.
 *
 * @example
 * ```ts
 * const plants = z.array(Plant).parse(await response.json())
 * ```
 */
export const Plant = z.object({ name: text, tag: z.optional(text) })
export type Plant = z.infer<typeof Plant>

/**
 * The NewPlant of the wire (specification, part 2), as a zod schema and as a type: a Plant and its
 * id, an int64 that TypeScript holds as a `bigint`. Members it doesn't name are ignored.
 *
 * @example
 * ```ts
 * const plant: NewPlant = NewPlant.parse({ id: 7n, name: 'Monstera', tag: 'indoor' })
 * ```
 */
export const NewPlant = z.object(
  {
    id: z.int64({ error: orRequired(`must be an integer from ${INT64_MIN} to ${INT64_MAX}`) }),
    ...Plant.shape,
  },
  { error: 'must be a JSON object' },
)
export type NewPlant = z.infer<typeof NewPlant>

/** What the schema says of an object of JSON, in a fraction of its time; not why. */
export function isNewPlant(value: unknown): value is NewPlant {
  if (typeof value !== 'object' || value === null) return false
  const { id, name, tag } = value as Record<keyof NewPlant, unknown>
  return (
    typeof id === 'bigint' &&
    id >= INT64_MIN &&
    id <= INT64_MAX &&
    isStorableText(name) &&
    (tag === undefined || isStorableText(tag))
  )
}

/** Whether this is text that every storage can keep. */
export function isStorableText(value: unknown): value is string {
  return typeof value === 'string' && storableText.test(value)
}

/** A plant as a storage keeps it: with its id, and without `tag` when it was created without one. */
export interface StoredPlant {
  readonly id: bigint
  readonly name: string
  readonly tag?: string | undefined
}
