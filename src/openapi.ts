/**
 * Describes the service in OpenAPI, for generated clients and API pages.
 *
 * @module
 */

import { assertOptions, quotedOrKind } from './lib/arguments.ts'
import { describeService, type OpenApiDocument } from './openapi/document.ts'

export type { OpenApiDocument }

/** The options of `openApiDocument`. */
export interface OpenApiOptions {
  /** Where the store is mounted, for example `[{ url: 'https://garden.example/api' }]`. Default: `/`. */
  servers?: { url: string; description?: string | undefined }[] | undefined
  /**
   * A prefix for the names of all components and operations, for example `PlantStore` for `PlantStoreError`, so that
   * they fit into a document that has its own `Error` or `Plant`. Letters, digits, `.`, `_` and `-`. Default: none.
   */
  prefix?: string | undefined
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
export function openApiDocument(options: OpenApiOptions = {}): OpenApiDocument {
  assertOptions('openApiDocument', options, ['servers', 'prefix'])
  const { servers = [{ url: '/' }], prefix = '' } = options
  if (typeof prefix !== 'string' || !/^[\w.-]*$/.test(prefix)) {
    throw new TypeError(
      `prefix must be letters, digits, ".", "_" and "-"; got ${quotedOrKind(prefix)}`,
    )
  }
  // Keeps words apart: PlantStoreListPlants.
  const prefixed = (name: string) =>
    prefix === '' ? name : `${prefix}${name[0]!.toUpperCase()}${name.slice(1)}`
  const rename = (parts: object) =>
    Object.fromEntries(Object.entries(parts).map(([name, part]) => [prefixed(name), part]))

  return JSON.parse(JSON.stringify(describeService(servers)), (key, value) => {
    if (key === '$ref') return value.replace(/\w+$/, prefixed)
    if (key === 'operationId') return prefixed(value)
    if (key === 'security') return value.map(rename)
    if (key !== 'components') return value
    return Object.fromEntries(
      Object.entries<object>(value).map(([kind, parts]) => [kind, rename(parts)]),
    )
  })
}
