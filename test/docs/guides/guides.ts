import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../runtimes/program.ts'

export { ROOT }

/** The pages that users read, in the order in which `llms.txt` lists them. */
export const GUIDES = [
  'README.md',
  'src/README.md',
  'adapters/README.md',
  'adapters/FRAMEWORKS.md',
  'adapters/SERVERLESS.md',
  'adapters/TROUBLESHOOTING.md',
  'adapters/TESTED.md',
  'adapters/AUTHORS.md',
  'src/storage/README.md',
  'src/auth/README.md',
  'src/client/README.md',
  'src/testing/README.md',
  'examples/README.md',
  'test/bench/README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
]

/** The guides whose sections are each complete. */
const BY_SECTION = ['adapters/README.md', 'adapters/FRAMEWORKS.md', 'adapters/SERVERLESS.md']

/** The page that `npm run api` writes. Its code is checked where it comes from: in the doc comments. */
export const API_REFERENCE = 'src/API.md'

/** What the tarball has beside `dist`. */
export const PACKED = [
  ...[...GUIDES, API_REFERENCE, 'llms.txt', 'LICENSE', 'package.json'],
  ...['test/bench/results.svg', 'test/overload/results.svg'],
]

/** A fenced code block of a guide. */
export interface CodeBlock {
  /** The guide, such as `adapters/README.md`. */
  readonly guide: string
  /** The section, by its heading, such as `Node`. */
  readonly section: string
  /** The line on which the block begins. */
  readonly line: number
  /** The first word after the fence. */
  readonly language: string
  readonly code: string
  /** The file that the first line names in a comment, such as `// server.mjs`. */
  readonly file: string | undefined
}

export function readGuide(guide: string): string {
  return readFileSync(join(ROOT, guide), 'utf8')
}

export function codeBlocks(guide: string): CodeBlock[] {
  const text = readGuide(guide)
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ([, language, code], index, all) => {
      const before = text.slice(0, all[index]!.index)
      return {
        guide,
        section: [...before.matchAll(/^## (.+)$/gm)].at(-1)?.[1] ?? '',
        line: before.split('\n').length,
        language: language!,
        code: code!,
        file: /^(?:\/\/|#) (\S+\.\w+)$/m.exec(code!.split('\n', 1)[0]!)?.[1],
      }
    },
  )
}

/** What a user copies together, as the name of a folder: a guide or, where each is complete, a section. */
export function unitOf({ guide, section }: CodeBlock): string {
  return BY_SECTION.includes(guide) ? join(guide, section.toLowerCase()) : guide
}

/** The first paragraph after the title, in one line, without links. */
export function summaryOf(guide: string): string {
  const [, paragraph] = /^# .+\n\n([\s\S]+?)\n\n/m.exec(readGuide(guide)) ?? []
  return paragraph!.replaceAll('\n', ' ').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
}

/** The anchor that code hosts give to a heading. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}

export function titleOf(guide: string): string {
  return /^# (.+)$/m.exec(readGuide(guide))![1]!
}
