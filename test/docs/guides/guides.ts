import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../runtimes/program.ts'

export { ROOT }

/** The folders of `docs/`, in the order of the site's sidebar and of `llms.txt`. */
export const SECTIONS = ['hosts', 'storages', 'sign-in', 'tasks', 'recipes', 'reference']

/** The pages that users read. In a section, its index comes first. */
export const GUIDES = [
  ...['README.md', 'docs/index.md', ...SECTIONS.flatMap(pagesOf)],
  ...['docs/how-it-works.md', 'test/bench/README.md'],
  ...['SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
]

/** What the tarball has beside `dist`. */
export const PACKED = [
  ...[...GUIDES, 'llms.txt', 'LICENSE', 'package.json', 'docs/picture.svg'],
  ...['help.txt', 'guide.html', 'page.html'].map((file) => `adapters/cli/${file}`),
]

/** A fenced code block of a guide. */
export interface CodeBlock {
  /** The guide, such as `docs/hosts/hono.md`. */
  readonly guide: string
  /** The line on which the block begins. */
  readonly line: number
  /** The first word after the fence. */
  readonly language: string
  readonly code: string
  /** The file that the first line names in a comment, such as `// server.mjs`. */
  readonly file: string | undefined
}

function pagesOf(section: string): string[] {
  const index = `docs/${section}/index.md`
  const pages = globSync(`docs/${section}/*.md`, { cwd: ROOT })
    .map((page) => page.replaceAll('\\', '/'))
    .filter((page) => page !== index)
  return [index, ...pages.sort()]
}

/** Reads a guide, or another file, by its path in the repository. */
export function readGuide(guide: string): string {
  return readFileSync(join(ROOT, guide), 'utf8')
}

export function codeBlocks(guide: string): CodeBlock[] {
  const text = readGuide(guide)
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ([, language, code], index, all) => ({
      guide,
      line: text.slice(0, all[index]!.index).split('\n').length,
      language: language!,
      code: code!,
      file: /^(?:\/\/|#) (\S+\.\w+)$/m.exec(code!.split('\n', 1)[0]!)?.[1],
    }),
  )
}

/** The files of a guide. */
export function filesOf(guide: string): Map<string, string> {
  const named = codeBlocks(guide).filter(({ file }) => file)
  return new Map(named.map(({ file, code }) => [file!, code]))
}

/** The first paragraph after the title, in one line, without links. */
export function summaryOf(guide: string): string {
  const [, paragraph] = /^# .+\n\n([\s\S]+?)\n\n/m.exec(readGuide(guide)) ?? []
  return paragraph!.replaceAll('\n', ' ').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
}

export function titleOf(guide: string): string {
  return /^# (.+)$/m.exec(readGuide(guide))![1]!
}
