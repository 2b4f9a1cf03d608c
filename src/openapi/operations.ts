import type { Operation, Paths } from './document.ts'
import { failures, ref } from './responses.ts'
import { ID, ID_DESCRIPTION } from './schemas.ts'

/** The three operations of the specification, part 4, by path and method. */
export function describePaths(): Paths {
  return {
    '/plants': { get: describeList(), post: describeCreate() },
    '/plants/{id}': { delete: describeDelete() },
  }
}

function describeList(): Operation {
  return {
    operationId: 'listPlants',
    summary: 'List plants',
    description:
      'Returns all plants that the token gives access to, by ascending id. With `limit`, or when the server caps the page size, it returns one page. Every page except the last has a `Link` header with the URL of the next page.',
    ...onPlants(),
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
            schema: { type: 'array', items: ref('schemas/Plant') },
            example: [{ name: 'Monstera', tag: 'indoor' }, { name: 'Fern' }],
          },
        },
      },
      ...failures('invalid_limit', 'invalid_cursor'),
    },
  }
}

function describeCreate(): Operation {
  return {
    operationId: 'createPlant',
    summary: 'Create a plant',
    description: 'Creates a new plant in the store. Its id must be new among your plants.',
    ...onPlants(),
    requestBody: {
      description:
        'Plant to add to the store. A body larger than the server allows is rejected with 413. The default limit is 64 KiB.',
      required: true,
      content: {
        'application/json': {
          schema: ref('schemas/NewPlant'),
          examples: {
            tagged: { summary: 'With a tag', value: { id: 7, name: 'Monstera', tag: 'indoor' } },
            untagged: { summary: 'Without a tag', value: { id: 8, name: 'Fern' } },
          },
        },
      },
    },
    responses: {
      200: {
        description: 'The plant was created.',
        content: {
          'application/json': {
            schema: ref('schemas/Plant'),
            examples: {
              tagged: { summary: 'With a tag', value: { name: 'Monstera', tag: 'indoor' } },
              untagged: { summary: 'Without a tag', value: { name: 'Fern' } },
            },
          },
        },
        links: {
          deletePlant: {
            operationId: 'deletePlant',
            description: 'Deletes this plant, by the id that it was created with.',
            parameters: { id: '$request.body#/id' },
          },
        },
      },
      ...failures(
        'malformed_json',
        'invalid_plant',
        'duplicate_id',
        'body_too_large',
        'unsupported_media_type',
      ),
    },
  }
}

function describeDelete(): Operation {
  return {
    operationId: 'deletePlant',
    summary: 'Delete a plant',
    description: 'Deletes a single plant by its id.',
    ...onPlants(),
    parameters: [
      {
        name: 'id',
        in: 'path',
        required: true,
        description: `${ID_DESCRIPTION} In decimal, without leading zeros or a plus sign.`,
        schema: { ...ID },
        example: 7,
      },
    ],
    responses: {
      204: { description: 'The plant was deleted.' },
      ...failures('invalid_id', 'plant_not_found'),
    },
  }
}

function onPlants() {
  return { tags: ['plants'], security: [{ bearerAuth: [] }] }
}
