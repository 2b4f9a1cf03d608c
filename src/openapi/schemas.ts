import * as z from 'zod/mini'
import { errors } from '../errors.ts'
import { NewPlant, Plant } from '../plant.ts'
import { storableText } from '../plants/text.ts'

/**
 * `storableText` for every regular expression engine: RE2 knows neither \u nor \0, and few know
 * surrogates. Those are left to the descriptions: a JSON text in UTF-8 has none unless it escapes one.
 */
const PORTABLE_STORABLE_TEXT = '^[^\\x00]*$'

const TEXT_RULE = 'Any text, the empty one too, without U+0000 and without a lone surrogate.'

/** The shapes of the specification, part 2: the zod schemas that serve requests, as JSON Schemas. */
export function schemas() {
  return {
    Plant: {
      ...toJsonSchema(Plant),
      description: 'A plant as it is answered: without its id.',
      examples: [{ name: 'Monstera', tag: 'indoor' }, { name: 'Fern' }],
    },
    NewPlant: {
      ...toJsonSchema(NewPlant),
      description: 'A plant and its id. Members that are not listed here are ignored.',
      examples: [
        { id: 7, name: 'Monstera', tag: 'indoor' },
        { id: 8, name: 'Fern' },
      ],
    },
    Error: {
      type: 'object' as const,
      description: `What every failure is answered with. A program switches on \`error\`:\n\n${catalogue()}`,
      properties: {
        error: {
          type: 'integer' as const,
          format: 'int32' as const,
          description: 'Numeric error value.',
        },
        message: {
          type: 'string' as const,
          description: 'Error message text, for people: it may say more than the catalogue does.',
        },
      },
      required: ['error', 'message'],
      examples: [{ error: errors.duplicate_id.error, message: errors.duplicate_id.message }],
    },
  }
}

// No minimum and maximum go with the format: JSON writers that hold numbers as doubles would round
// them to values beyond int64, which generated code in other languages then fails to compile with.
const INT64 = { type: 'integer', format: 'int64' } as const

/** The id of a plant in a path. */
export function idInPath() {
  return {
    ...INT64,
    description:
      'From -9223372036854775808 to 9223372036854775807, in decimal, without leading zeros or a plus sign.',
  }
}

const described = z
  .registry<{ description: string }>()
  .add(NewPlant.shape.id, {
    description:
      'Identification number of the plant, from -9223372036854775808 to 9223372036854775807. Exact beyond 2^53 too.',
  })
  .add(Plant.shape.name, { description: `The name of the plant. ${TEXT_RULE}` })
  .add(Plant.shape.tag, { description: `Tag to specify the type. ${TEXT_RULE}` })

/**
 * What becomes of a flat zod object. Types and no interfaces: OpenAPI tools ask for objects that may
 * have extensions, `x-…`, and to TypeScript an interface may not.
 */
export type ObjectSchema = {
  type: 'object'
  properties: Record<string, PropertySchema>
  required: string[]
}

export type PropertySchema = {
  type: 'integer' | 'string'
  description: string
  format?: 'int64'
  pattern?: string
}

function toJsonSchema(schema: z.ZodMiniObject): ObjectSchema {
  const { $schema, ...jsonSchema } = z.toJSONSchema(schema, {
    // What a reader may send: an output would forbid the members that the store ignores.
    io: 'input',
    metadata: described,
    unrepresentable: ({ zodSchema: { _zod } }) =>
      'format' in _zod.def && _zod.def.format === 'int64' ? { ...INT64 } : 'throw',
    override: ({ jsonSchema }) => {
      if (jsonSchema.pattern === storableText.source) jsonSchema.pattern = PORTABLE_STORABLE_TEXT
    },
  })
  return jsonSchema as ObjectSchema
}

function catalogue(): string {
  const rows = Object.entries(errors).map(
    ([name, { error, status, message }]) =>
      // Markdown would take <token> for an HTML tag.
      `| ${error} | ${status} | ${name} | ${message.replace(/<\w+>/g, '`$&`')} |`,
  )
  return ['| error | status | name | message |', '|---|---|---|---|', ...rows].join('\n')
}
