import * as z from 'zod/mini'
import { storableText } from './lib/storable-text.ts'
import { idProblem, objectProblem, textProblem } from './new-plant-rules.ts'

function messageOf(problem: (value: unknown) => string | undefined) {
  return { error: ({ input }: { input?: unknown }) => problem(input) }
}

const text = z.string(messageOf(textProblem)).check(z.regex(storableText, messageOf(textProblem)))

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
  { id: z.int64(messageOf(idProblem)), ...Plant.shape },
  messageOf(objectProblem),
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

type Text = z.ZodMiniString
type PlantSchema = z.ZodMiniObject<{ name: Text; tag: z.ZodMiniOptional<Text> }>
type NewPlantSchema = z.ZodMiniObject<{
  id: z.ZodMiniBigIntFormat
  name: Text
  tag: z.ZodMiniOptional<Text>
}>
