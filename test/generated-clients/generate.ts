/** Generates clients from an OpenAPI document: `node generate.ts openapi.json DIRECTORY`. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@hey-api/openapi-ts'
import openapiTypes, { astToString } from 'openapi-typescript'

const [document, directory] = process.argv.slice(2) as [string, string]

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
const types = await openapiTypes(pathToFileURL(document))
await writeFile(join(directory, 'openapi-types.ts'), astToString(types))
