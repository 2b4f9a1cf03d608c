import { describeComponents, failure, ID, ID_DESCRIPTION, json } from './components.ts'

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
                  example: [MONSTERA, FERN],
                },
              },
            },
            400: failure('invalid_limit', 'invalid_cursor'),
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
            content: json('NewPlant', examples({ id: 7, ...MONSTERA }, { id: 8, ...FERN })),
          },
          responses: {
            200: {
              description: 'The plant was created.',
              content: json('Plant', examples(MONSTERA, FERN)),
              links: {
                deletePlant: {
                  operationId: 'deletePlant',
                  description: 'Deletes this plant, by the id that it was created with.',
                  parameters: { id: '$request.body#/id' },
                },
              },
            },
            400: failure('malformed_json', 'invalid_plant', 'duplicate_id'),
            413: failure('body_too_large'),
            415: failure('unsupported_media_type'),
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
            400: failure('invalid_id'),
            404: failure('plant_not_found'),
            ...SHARED_FAILURES,
          },
        },
      },
    },
    components: describeComponents(),
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
const FERN = { name: 'Fern' }

function examples(tagged: object, untagged: object) {
  return {
    examples: {
      tagged: { summary: 'With a tag', value: tagged },
      untagged: { summary: 'Without a tag', value: untagged },
    },
  }
}
