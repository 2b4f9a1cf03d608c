import * as z from 'zod/mini'
import { type ErrorName, errors } from '../errors.ts'
import { storableText } from '../lib/text.ts'
import { NewPlant, Plant } from '../plant.ts'

/**
 * Describes what the operations share: the shapes of the specification, part 2, and the failures that each can have.
 * The schemas have no examples, since mock servers would prefer them to those of a response.
 */
export function describeComponents() {
  return {
    schemas: {
      Plant: toJsonSchema(Plant),
      NewPlant: toJsonSchema(NewPlant),
      Error: {
        type: 'object',
        description: `The body of every failure. Programs compare \`error\`. A later version may have other values: treat one that you don't know by its status.\n\n${catalogue()}`,
        properties: {
          // Without an enum, so that an error value that a later version adds stays valid.
          error: { type: 'integer', format: 'int32', description: 'Numeric error value.' },
          message: {
            type: 'string',
            description:
              'Error message text, for people. It may be more specific than the catalogue.',
          },
        },
        required: ['error', 'message'],
      },
    },
    responses: {
      Unauthorized: failure('missing_token', 'invalid_token'),
      Forbidden: failure('insufficient_scope'),
      TooManyRequests: failure('rate_limited'),
      InternalServerError: failure('internal'),
      ServiceUnavailable: failure(
        'storage_unavailable',
        'auth_unavailable',
        'timeout',
        'overloaded',
      ),
    },
    securitySchemes: {
      bearerAuth: {
        type: 'http',
        scheme: 'bearer',
        description: 'The token issued to you (RFC 6750).',
      },
    },
  }
}

/** The catalogue as a table in Markdown, which would treat <token> as an HTML tag. */
function catalogue(): string {
  const rows = Object.entries(errors).map(
    ([name, { error, status, message }]) =>
      `| ${error} | ${status} | ${name} | ${message.replace(/<\w+>/g, '`$&`')} |`,
  )
  return ['| error | status | name | message |', '|---|---|---|---|', ...rows].join('\n')
}

/** Describes the failures of one status. Its examples are all the error values that it can have. */
export function failure(...names: ErrorName[]) {
  const examples = names.map((name) => {
    const { error, message } = errors[name]
    return [name, { value: { error, message } }]
  })
  const headers = HEADERS[errors[names[0]!].status]
  return {
    description: names.map((name) => `${errors[name].error} ${name}`).join(', '),
    ...(headers && { headers }),
    content: json('Error', { examples: Object.fromEntries(examples) }),
  }
}

/** Describes a body of one of the schemas. */
export function json(schema: string, examples: object) {
  return {
    'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, ...examples },
  }
}

function header(name: string, description: string, schema: object, example?: unknown) {
  return { [name]: { description, required: true, schema, example } }
}

const RETRY_AFTER = header(
  'Retry-After',
  'Seconds to wait before retrying (RFC 9110, section 10.2.3).',
  { type: 'integer', minimum: 0 },
  1,
)

const HEADERS: Record<number, object> = {
  401: challenge('Bearer realm="plants", error="invalid_token"'),
  403: challenge('Bearer realm="plants", error="insufficient_scope", scope="plants:write"'),
  415: header(
    'Accept-Post',
    'The media type that the server accepts (RFC 9110, section 15.5.16).',
    { type: 'string', enum: ['application/json'] },
  ),
  429: RETRY_AFTER,
  503: RETRY_AFTER,
}

function challenge(example: string) {
  const description = 'Why the token was refused (RFC 6750, section 3).'
  return header('WWW-Authenticate', description, { type: 'string' }, example)
}

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
function toJsonSchema(schema: z.ZodMiniObject): object {
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
