import { type ErrorName, errors } from '../errors.ts'
import { NewPlant, Plant } from '../plant.ts'
import { ID, ID_DESCRIPTION, toJsonSchema } from './schemas.ts'

/**
 * An OpenAPI 3.1 document, as tools take it. A type, not an interface: any of its objects may have `x-…` members,
 * and TypeScript accepts a type there, but not an interface.
 */
export type OpenApiDocument = {
  openapi: '3.1.0'
  info: {
    title: string
    version: string
    description: string
    license: { name: string; identifier: string }
  }
  servers: { url: string; description?: string }[]
  tags: { name: string; description: string }[]
  paths: {
    '/plants': { get: Operation; post: Operation }
    '/plants/{id}': { delete: Operation }
  }
  components: Record<'schemas' | 'responses' | 'securitySchemes', Record<string, any>>
}

type Operation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: any[]
  requestBody?: any
  responses: Record<string, any>
}

/** Builds the document. Some of its parts are shared between calls: copy it before you hand it out. */
export function describeService(servers: OpenApiDocument['servers']): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Plant Store',
      version: '1.0.0',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers,
    tags: [{ name: 'plants', description: 'The plants that the token gives access to.' }],
    paths: {
      '/plants': {
        get: {
          operationId: 'listPlants',
          summary: 'List plants',
          description:
            'Returns all plants that the token gives access to, by ascending id. With `limit`, or when the server caps the page size, it returns one page. Every page except the last has a `Link` header with the URL of the next page.',
          ...ON_PLANTS,
          // Without examples: API pages send them, so the first list would show an arbitrary page.
          parameters: [
            {
              name: 'limit',
              in: 'query',
              description:
                'Maximum number of plants to return, in decimal, without leading zeros. A response may have fewer, at about a million characters of JSON: then its `Link` header leads to the rest. Default: all plants, streamed.',
              schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 2 ** 31 - 1 },
            },
            {
              name: 'cursor',
              in: 'query',
              description:
                'Where the page begins. An opaque value: take it from the `Link` header of the previous page.',
              schema: { type: 'string', minLength: 1 },
            },
          ],
          responses: {
            200: {
              description: 'The plants.',
              headers: {
                Link: {
                  description:
                    'The URL of the next page, relative to this request (RFC 8288). The last page has no such header.',
                  schema: { type: 'string' },
                  example: '<?limit=2&cursor=0000000000000008>; rel="next"',
                },
              },
              content: {
                'application/json': {
                  schema: { type: 'array', items: { $ref: '#/components/schemas/Plant' } },
                  example: [MONSTERA, { name: 'Fern' }],
                },
              },
            },
            400: failure(['invalid_limit', 'invalid_cursor']),
            ...SHARED_FAILURES,
          },
        },
        post: {
          operationId: 'createPlant',
          summary: 'Create a plant',
          description: 'Creates a new plant in the store. Its id must be new among your plants.',
          ...ON_PLANTS,
          requestBody: {
            description:
              'Plant to add to the store. A body larger than the server allows is rejected with 413.',
            required: true,
            content: json('NewPlant', { example: { id: 7, ...MONSTERA } }),
          },
          responses: {
            200: {
              description: 'The plant was created.',
              content: json('Plant', { example: MONSTERA }),
            },
            400: failure(['malformed_json', 'invalid_plant', 'duplicate_id']),
            413: failure(['body_too_large']),
            415: failure(['unsupported_media_type'], ACCEPT_POST),
            ...SHARED_FAILURES,
          },
        },
      },
      '/plants/{id}': {
        delete: {
          operationId: 'deletePlant',
          summary: 'Delete a plant',
          description: 'Deletes a single plant by its id.',
          ...ON_PLANTS,
          parameters: [
            {
              name: 'id',
              in: 'path',
              required: true,
              description: `${ID_DESCRIPTION} In decimal, without leading zeros or a plus sign.`,
              schema: ID,
              example: 7,
            },
          ],
          responses: {
            204: { description: 'The plant was deleted.' },
            400: failure(['invalid_id']),
            404: failure(['plant_not_found']),
            ...SHARED_FAILURES,
          },
        },
      },
    },
    components: {
      // Without examples, since mock servers would prefer them to those of a response.
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
        Unauthorized: failure(
          ['missing_token', 'invalid_token'],
          challenge('error="invalid_token"'),
        ),
        Forbidden: failure(
          ['insufficient_scope'],
          challenge('error="insufficient_scope", scope="plants:write"'),
        ),
        TooManyRequests: failure(['rate_limited'], RETRY_AFTER),
        InternalServerError: failure(['internal']),
        ServiceUnavailable: failure(
          ['storage_unavailable', 'auth_unavailable', 'timeout', 'overloaded'],
          RETRY_AFTER,
        ),
      },
      securitySchemes: {
        bearerAuth: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token issued to you (RFC 6750).',
        },
      },
    },
  }
}

const INTRODUCTION = `A small catalogue of plants: create, list, delete.

- **Every request needs a bearer token.** The token decides whose plants you see.
- **Ids are exact 64-bit integers.** Beyond 2^53, use a JSON library that keeps them exact.
- **Every failure has the same body**, Error. Its \`error\` value tells which failure it is.`

const ON_PLANTS = { tags: ['plants'], security: [{ bearerAuth: [] }] }

const shared = (name: string) => ({ $ref: `#/components/responses/${name}` })
const SHARED_FAILURES = {
  401: shared('Unauthorized'),
  403: shared('Forbidden'),
  429: shared('TooManyRequests'),
  500: shared('InternalServerError'),
  503: shared('ServiceUnavailable'),
}

const MONSTERA = { name: 'Monstera', tag: 'indoor' }

/** Describes a body of one of the schemas. */
function json(schema: string, examples: object) {
  return {
    'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, ...examples },
  }
}

/** Describes the failures of one status. Its examples are all the error values that it can have. */
function failure(names: ErrorName[], headers?: object) {
  const examples = names.map((name) => {
    const { error, message } = errors[name]
    return [name, { value: { error, message } }]
  })
  return {
    description: names.map((name) => `${errors[name].error} ${name}`).join(', '),
    headers,
    content: json('Error', { examples: Object.fromEntries(examples) }),
  }
}

const ACCEPT_POST = {
  'Accept-Post': {
    description: 'The media type that the server accepts (RFC 9110, section 15.5.16).',
    required: true,
    schema: { type: 'string', enum: ['application/json'] },
  },
}

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds to wait before retrying (RFC 9110, section 10.2.3).',
    required: true,
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
}

function challenge(parameters: string) {
  return {
    'WWW-Authenticate': {
      description: 'Why the token was refused (RFC 6750, section 3).',
      required: true,
      schema: { type: 'string' },
      example: `Bearer realm="plants", ${parameters}`,
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
