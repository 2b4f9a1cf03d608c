/**
 * Describes the service in OpenAPI, for generated clients and API pages.
 *
 * @module
 */

import { assertOptions, quotedOrKind } from './lib/arguments.ts'
import { addPrefix } from './openapi/add-prefix.ts'
import type { OpenApiDocument } from './openapi/document.ts'
import { describePaths } from './openapi/operations.ts'
import { sharedFailures } from './openapi/responses.ts'
import { schemas } from './openapi/schemas.ts'

export type { OpenApiDocument }

/** The options of `openApiDocument`. */
export interface OpenApiOptions<Prefix extends string = string> {
  /** Where the store is mounted, such as `[{ url: 'https://garden.example/api' }]`. Default: `/`. */
  servers?: { url: string; description?: string | undefined }[] | undefined
  /**
   * Stands in front of the names of all components, such as `PlantStore` for `PlantStoreError`, in a document that has an
   * `Error` or a `Plant` of its own. Letters, digits, `.`, `_` and `-`. Default: none.
   */
  prefix?: Prefix | undefined
}

/**
 * Describes the service in OpenAPI 3.1.0. The description is built from the schemas and the error
 * catalogue that the server itself uses. Each call builds a new object, which you may change.
 *
 * `plant-store/openapi.json` is the same document as a file.
 *
 * @param options see `OpenApiOptions`
 * @throws TypeError if an option is unknown or wrong
 *
 * @example
 * ```ts
 * import { openApiDocument } from 'plant-store/openapi'
 *
 * app.get('/openapi.json', (_, response) => response.json(openApiDocument()))
 * ```
 */
export function openApiDocument<const Prefix extends string = ''>(
  options: OpenApiOptions<Prefix> = {},
): OpenApiDocument<Prefix> {
  assertOptions('openApiDocument', options, ['servers', 'prefix'])
  const { servers = [{ url: '/' }], prefix = '' as Prefix } = options
  if (typeof prefix !== 'string' || !/^[\w.-]*$/.test(prefix)) {
    throw new TypeError(
      `prefix must be letters, digits, ".", "_" and "-"; got ${quotedOrKind(prefix)}`,
    )
  }
  return addPrefix(describeService(servers), prefix)
}

function describeService(servers: OpenApiDocument['servers']): OpenApiDocument {
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
    paths: describePaths(),
    components: {
      schemas: schemas(),
      responses: sharedFailures(),
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
