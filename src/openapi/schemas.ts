import * as z from 'zod/mini'
import { errors } from '../errors.ts'
import { storableText } from '../lib/text.ts'
import { NewPlant, Plant } from '../plant.ts'
import type { ObjectSchema, Schema, Schemas } from './document.ts'

/**
 * The shapes of the specification, part 2: the zod schemas that the server uses, as JSON Schemas. They have no examples,
 * which mock servers would prefer to those of each response, and nothing that OpenAPI 3.0 lacks.
 */
export function schemas(): Schemas {
  return {
    Plant: {
      ...toJsonSchema(Plant),
      description: 'A plant as the server returns it, without its id.',
    },
    NewPlant: {
      ...toJsonSchema(NewPlant),
      description: 'A plant with its id. Members that are not listed here are ignored.',
    },
    Error: {
      type: 'object',
      description: `The body of every failure. Programs compare \`error\`. A later version may have other values: treat one that you don't know by its status.\n\n${catalogue()}`,
      properties: {
        // Without an enum, so that an error value that a later version adds stays valid.
        error: {
          type: 'integer',
          format: 'int32',
          description: 'Numeric error value.',
        },
        message: {
          type: 'string',
          description:
            'Error message text, for people. It may be more specific than the catalogue.',
        },
      },
      required: ['error', 'message'],
    },
  }
}

function catalogue(): string {
  const rows = Object.entries(errors).map(
    ([name, { error, status, message }]) =>
      // Markdown would treat <token> as an HTML tag.
      `| ${error} | ${status} | ${name} | ${message.replace(/<\w+>/g, '`$&`')} |`,
  )
  return ['| error | status | name | message |', '|---|---|---|---|', ...rows].join('\n')
}

/**
 * The type of an id. It has no minimum and maximum: JSON writers that hold numbers as doubles would
 * round them to values beyond int64, and code generated from those fails to compile.
 */
export const ID: Schema = { type: 'integer', format: 'int64' }

export const ID_DESCRIPTION =
  'Identification number of the plant, from -9223372036854775808 to 9223372036854775807. It is exact, even beyond 2^53.'

/**
 * `storableText` for every regular expression engine: RE2 supports neither \u nor \0, and few engines
 * support surrogates. The description excludes those: JSON in UTF-8 can only have them as escapes.
 */
const PORTABLE_STORABLE_TEXT = '^[^\\x00]*$'

const TEXT_RULE = 'Any text, also the empty string, without U+0000 and lone surrogates.'

const descriptions = z
  .registry<{ description: string }>()
  .add(NewPlant.shape.id, { description: ID_DESCRIPTION })
  .add(Plant.shape.name, { description: `The name of the plant. ${TEXT_RULE}` })
  .add(Plant.shape.tag, { description: `Tag to specify the type. ${TEXT_RULE}` })

/** The JSON Schema of a flat zod object. */
function toJsonSchema(schema: z.ZodMiniObject): ObjectSchema {
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
  return jsonSchema as ObjectSchema
}
