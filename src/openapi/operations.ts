import { failures, ref } from './responses.ts'
import { idInPath } from './schemas.ts'

/** The three operations of the specification, part 4, by path and method. */
export function paths() {
  return {
    '/plants': { get: listPlants(), post: createPlant() },
    '/plants/{id}': { delete: deletePlant() },
  }
}

function listPlants() {
  return {
    operationId: 'listPlants',
    summary: 'List plants',
    description:
      'Returns all plants that the token gives access to, by ascending id: in one answer, or page by page when `limit` is given or the server has a limit of its own. A page that is not the last has a `Link` header to the next.',
    ...onPlants(),
    parameters: [
      {
        name: 'limit',
        in: 'query' as const,
        description:
          'Maximum number of plants to return, in decimal, without leading zeros. Without it, all are returned.',
        schema: {
          type: 'integer' as const,
          format: 'int32' as const,
          minimum: 0,
          maximum: 2 ** 31 - 1,
        },
      },
      {
        name: 'cursor',
        in: 'query' as const,
        description:
          'Where the page begins: what the `Link` header of the page before gave, and nothing to compute with.',
        schema: { type: 'string' as const, pattern: '^[0-9a-f]{16}$' },
      },
    ],
    responses: {
      200: {
        description: 'The plants.',
        headers: {
          Link: {
            description:
              'The next page, relative to this request (RFC 8288), when there are more plants.',
            schema: { type: 'string' as const },
            example: '<?limit=2&cursor=0000000000000008>; rel="next"',
          },
        },
        content: {
          'application/json': {
            schema: { type: 'array' as const, items: ref('schemas/Plant') },
            example: [{ name: 'Monstera', tag: 'indoor' }, { name: 'Fern' }],
          },
        },
      },
      ...failures('invalid_limit', 'invalid_cursor'),
    },
  }
}

function createPlant() {
  return {
    operationId: 'createPlant',
    summary: 'Create a plant',
    description: 'Creates a new plant in the store. Its id must be new among your plants.',
    ...onPlants(),
    requestBody: {
      description:
        'Plant to add to the store. The server refuses bodies that are too large for it: more than 1 MiB, unless it is set up otherwise.',
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
              tagged: { value: { name: 'Monstera', tag: 'indoor' } },
              untagged: { value: { name: 'Fern' } },
            },
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

function deletePlant() {
  return {
    operationId: 'deletePlant',
    summary: 'Delete a plant',
    description: 'Deletes a single plant by its id.',
    ...onPlants(),
    parameters: [
      {
        name: 'id',
        in: 'path' as const,
        required: true,
        description: 'Identification number of the plant.',
        schema: idInPath(),
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
  return { tags: ['plants'], security: [{ bearerAuth: [] as string[] }] }
}
