// Writes llms.txt (https://llmstxt.org), a table of contents for language models: npm run llms
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GUIDES, ROOT, SECTIONS, summaryOf, titleOf } from './guides.ts'

/** The table of contents: each guide with its first paragraph. */
export function llmsText(): string {
  const isIn = (section: string) => (guide: string) => guide.startsWith(`docs/${section}/`)
  const others = GUIDES.filter((guide) => !SECTIONS.some((section) => isIn(section)(guide)))
  const parts = [
    ['# Plant Store', `> ${summaryOf('README.md')}`],
    ['## Start', toList(others)],
    ...SECTIONS.map((section) => [
      `## ${titleOf(`docs/${section}/index.md`)}`,
      toList(GUIDES.filter(isIn(section))),
    ]),
  ]
  return `${parts.flat().join('\n\n')}\n`
}

function toList(guides: string[]): string {
  return guides.map((guide) => `- [${titleOf(guide)}](${guide}): ${summaryOf(guide)}`).join('\n')
}

if (import.meta.main) writeFileSync(join(ROOT, 'llms.txt'), llmsText())
