import * as z from 'zod/mini'
import { storableText } from '../lib/text.ts'
import { NewPlant, Plant } from '../plant.ts'

/**
 * The type of an id. It has no minimum and maximum: JSON writers that hold numbers as doubles would
 * round them to values beyond int64, and code generated from those fails to compile.
 */
export const ID = { type: 'integer', format: 'int64' } as const

export const ID_DESCRIPTION =
  'Identification number of the plant, from -9223372036854775808 to 9223372036854775807. It is exact, even beyond 2^53.'

const TEXT_RULE = 'Any text, also the empty string, without U+0000 and lone surrogates.'

const descriptions = z
  .registry<{ description: string }>()
  .add(Plant, { description: 'A plant as the server returns it, without its id.' })
  .add(NewPlant, {
    description: 'A plant with its id. Members that are not listed here are ignored.',
  })
  .add(NewPlant.shape.id, { description: ID_DESCRIPTION })
  .add(Plant.shape.name, { description: `The name of the plant. ${TEXT_RULE}` })
  .add(Plant.shape.tag, { description: `Tag to specify the type. ${TEXT_RULE}` })

/**
 * `storableText` for every regular expression engine: RE2 supports neither \u nor \0, and few engines
 * support surrogates. The description excludes those: JSON in UTF-8 can only have them as escapes.
 */
const PORTABLE_STORABLE_TEXT = '^[^\\x00]*$'

/** Converts a zod schema that the server uses to a JSON Schema, without anything that OpenAPI 3.0 lacks. */
export function toJsonSchema(schema: z.ZodMiniObject): object {
  const { $schema, ...jsonSchema } = z.toJSONSchema(schema, {
    // The schema of an output would forbid the members that the store ignores.
    io: 'input',
    metadata: descriptions,
    unrepresentable: ({ zodSchema: { _zod } }) =>
      'format' in _zod.def && _zod.def.format === 'int64' ? { ...ID } : 'throw',
    override: ({ jsonSchema }) => {
      if (jsonSchema.pattern === storableText.source) jsonSchema.pattern = PORTABLE_STORABLE_TEXT
    },
  })
  return jsonSchema
}
