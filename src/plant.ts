import * as z from 'zod/mini'
import { kindOf } from './lib/arguments.ts'
import { INT64_RANGE } from './lib/int64.ts'
import { storableText } from './lib/text.ts'

const text = z
  .string(expected('a string'))
  .check(z.regex(storableText, 'must not contain U+0000 or a lone surrogate'))

/**
 * A plant in a response, as a zod schema and as a type: the body of a create's response, and the items of a
 * list.
 *
 * @example
 * ```ts
 * import * as z from 'zod/mini'
 *
 * const plants = z.array(Plant).parse(await response.json())
 * ```
 */
export const Plant: PlantSchema = z.object({ name: text, tag: z.optional(text) })
export type Plant = z.infer<typeof Plant>

/**
 * A plant in the body of a create, as a zod schema and as a type: a Plant with its id, an int64 that is a
 * `bigint` in TypeScript. Unknown members are ignored.
 *
 * @example
 * ```ts
 * const plant: NewPlant = NewPlant.parse({ id: 7n, name: 'Monstera', tag: 'indoor' })
 * ```
 */
export const NewPlant: NewPlantSchema = z.object(
  { id: z.int64(expected(INT64_RANGE)), ...Plant.shape },
  expected('a JSON object'),
)
export type NewPlant = z.infer<typeof NewPlant>

/** A plant as a storage keeps it: with its id, and without `tag` when it was created without one. */
export interface StoredPlant {
  /** An int64, unique among the owner's plants. */
  readonly id: bigint
  /** Any text, even an empty one. */
  readonly name: string
  /** Undefined, or left out, if the plant has none. */
  readonly tag?: string | undefined
}

/**
 * Describes each member of a value that is wrong, for example `id is required`.
 *
 * @param whole the name of the value, for when it isn't an object
 */
export function describeProblems(issues: readonly z.core.$ZodIssue[], whole: string): string[] {
  return issues.map(({ path, message }) => `${path.join('.') || whole} ${message}`)
}

type Text = z.ZodMiniString
type PlantSchema = z.ZodMiniObject<{ name: Text; tag: z.ZodMiniOptional<Text> }>
type NewPlantSchema = z.ZodMiniObject<{
  id: z.ZodMiniBigIntFormat
  name: Text
  tag: z.ZodMiniOptional<Text>
}>

/** The message of a schema: what was expected, and what came. */
function expected(expectation: string) {
  function error({ input }: { input?: unknown }): string {
    if (input === undefined) return 'is required'
    // An id of a caller in JavaScript. Other numbers may have been rounded, so they are not shown.
    if (expectation === INT64_RANGE && Number.isSafeInteger(input)) {
      return `must be a bigint, such as 7n; got the number ${input}`
    }
    return `must be ${expectation}; got ${typeof input === 'bigint' ? input : kindOf(input)}`
  }
  return { error }
}
