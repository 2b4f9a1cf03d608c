/**
 * Generates clients from an OpenAPI document: `node generate.ts openapi.json DIRECTORY`. With the path of a
 * hey-api configuration as well, generates one with its plugins too, in `hey-api-bigint`.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@hey-api/openapi-ts'
import openapiTypes, { astToString } from 'openapi-typescript'

const [document, directory, config] = process.argv.slice(2) as [string, string, string?]

await createClient({
  input: document,
  output: { path: join(directory, 'hey-api'), module: { extension: '.ts' } },
  plugins: [
    '@hey-api/client-fetch',
    '@hey-api/sdk',
    { name: '@hey-api/typescript', enums: 'javascript' },
  ],
  logs: { level: 'error' },
})
if (config) {
  await createClient({
    input: document,
    output: { path: join(directory, 'hey-api-bigint'), module: { extension: '.ts' } },
    plugins: (await import(pathToFileURL(config).href)).default.plugins,
    logs: { level: 'error' },
  })
}
const types = await openapiTypes(pathToFileURL(document))
await writeFile(join(directory, 'openapi-types.ts'), astToString(types))
