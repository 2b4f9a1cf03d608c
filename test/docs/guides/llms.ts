// Writes llms.txt (https://llmstxt.org), a table of contents for language models: npm run llms
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { API_REFERENCE, GUIDES, ROOT, summaryOf, titleOf } from './guides.ts'

/** The table of contents: each guide with its first paragraph. */
export function llmsText(): string {
  const [readme, ...guides] = GUIDES as [string, ...string[]]
  const lines = [...guides, API_REFERENCE].map(
    (guide) => `- [${titleOf(guide)}](${guide}): ${summaryOf(guide)}`,
  )
  return `# ${titleOf(readme)}

> ${summaryOf(readme)}

## Guides

- [Start](${readme}): Install it, mount it, run it, plug in a storage, test it; all hosts, storages, verifiers and options.
${lines.join('\n')}
`
}

if (import.meta.main) writeFileSync(join(ROOT, 'llms.txt'), llmsText())
