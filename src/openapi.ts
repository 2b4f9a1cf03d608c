import { paths } from './openapi/operations.ts'
import { sharedFailures } from './openapi/responses.ts'
import { schemas } from './openapi/schemas.ts'

/** The options of `openApiDocument`. */
export interface OpenApiOptions {
  /** Where the store is mounted, such as `[{ url: 'https://garden.example/api' }]`. Default: `/`. */
  servers?: { url: string; description?: string }[]
}

/** What `openApiDocument` answers with: an OpenAPI 3.1.0 document, as a plain object. */
export type OpenApiDocument = ReturnType<typeof openApiDocument>

/**
 * Describes the service in OpenAPI 3.1.0, from the schemas and the error catalogue that serve its
 * requests. Every call builds a new object, which is yours to change.
 *
 * `plant-store/openapi.json` is the same as a file.
 *
 * @param options see `OpenApiOptions`
 *
 * @example
 * ```ts
 * import { openApiDocument } from 'plant-store/openapi'
 *
 * app.get('/openapi.json', (_, response) => response.json(openApiDocument()))
 * ```
 */
export function openApiDocument({ servers = [{ url: '/' }] }: OpenApiOptions = {}) {
  return {
    openapi: '3.1.0' as const,
    info: {
      title: 'Plant Store',
      version: '1.0.0',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers,
    tags: [{ name: 'plants', description: 'The plants that the token gives access to.' }],
    paths: paths(),
    components: {
      schemas: schemas(),
      responses: sharedFailures(),
      securitySchemes: {
        bearerAuth: {
          type: 'http' as const,
          scheme: 'bearer' as const,
          description: 'The token that you were given (RFC 6750).',
        },
      },
    },
  }
}

const INTRODUCTION = `A small catalogue of plants: create, list, delete.

- **Every request carries a bearer token**, and sees only the plants of the token's owner.
- **Ids are exact** 64-bit integers: use a JSON library that keeps them so beyond 2^53.
- **Every failure has one shape**, Error, and its \`error\` value says which it is.`
