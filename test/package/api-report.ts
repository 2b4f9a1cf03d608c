// Writes api.md, which shows every public type, and src/API.md, the API reference: npm run api

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { API_REFERENCE_FILE, apiReference } from './api-reference.ts'
import { type Declared, type PublicApi, readPublicApi } from './public-api.ts'

/** The file with the report. */
export const API_REPORT = join(import.meta.dirname, 'api.md')

/** Reports the declarations that each module of the package exports, and the private ones that they use. */
export function apiReport({ modules, internal }: PublicApi): string {
  const sections = modules.map(({ name, exports, again }) => {
    const lines = [...again].map(
      ([from, names]) => `export { ${names.join(', ')} } from '${from}';`,
    )
    return section(name, [...lines, ...exports.map(toCode)])
  })
  const private_ = section('Not exported, but used above', internal.map(toCode))
  return [INTRODUCTION, ...sections, private_].join('\n')
}

const INTRODUCTION = `# The public API

Every type that a user of the package meets, without the doc comments. \`npm run api\` writes this file from
the types that are published, and a test compares them, so that a review sees each change of the API.
`

function toCode({ code }: Declared): string {
  return code
}

function section(title: string, lines: string[]): string {
  return `## ${title}\n\n\`\`\`ts\n${lines.join('\n')}\n\`\`\`\n`
}

if (import.meta.main) {
  const api = readPublicApi()
  writeFileSync(API_REPORT, apiReport(api))
  writeFileSync(API_REFERENCE_FILE, apiReference(api))
}
