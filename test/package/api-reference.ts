// Writes src/API.md, the API reference, from the doc comments: npm run api
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { anchorOf, ROOT } from '../docs/guides/guides.ts'
import { toText } from './declarations.ts'
import { type Declared, type PublicApi, type PublicModule, readPublicApi } from './public-api.ts'

/** The file with the reference. */
export const API_REFERENCE_FILE = join(ROOT, 'src/API.md')

/** An export, and where the reference shows it. */
export interface Entry extends Declared {
  readonly module: string
  readonly title: string
  readonly doc: Doc
}

/** The parts of a doc comment. */
export interface Doc {
  readonly description: string
  readonly params: readonly string[]
  readonly returns: readonly string[]
  readonly throws: readonly string[]
  /** Code blocks, with their fences. */
  readonly examples: readonly string[]
}

/** Writes the API reference: each module, each export with its doc comment and its code. */
export function apiReference(api: PublicApi): string {
  const entries = entriesOf(api)
  const links = createLinks(entries)
  const contents = api.modules.map(({ name }) => {
    const own = entries.filter(({ module }) => module === name)
    return `| ${links.toModule(name)} | ${own.map(links.toEntry).join(', ')} |`
  })
  const sections = api.modules.map((module) => {
    const own = entries.filter((entry) => entry.module === module.name)
    return [moduleHead(module), ...own.map((entry) => section(entry, entries))].join('\n\n')
  })
  const internal = api.internal.map(({ documentedCode }) => toCode(documentedCode)).join('\n\n')
  const parts = [
    INTRODUCTION,
    ['| Import | Exports |', '|---|---|', ...contents].join('\n'),
    ...sections,
    `## Types without an export\n\nThe types above use these.\n\n\`\`\`ts\n${internal}\n\`\`\``,
  ]
  return `${parts.join('\n\n')}\n`

  function moduleHead({ name, file, again }: PublicModule): string {
    const source = readFileSync(join(ROOT, file.replace(/\.d\.ts$/, '.ts')), 'utf8')
    const { description } = parseDoc(toText(source.includes('@module') ? source : ''))
    const parts = [`## ${name}`, links.within(description, name)]
    for (const [module, names] of again) {
      const linked = names.map((text) => links.within(`\`${text}\``, name))
      parts.push(`As in ${links.toModule(module)}: ${linked.join(', ')}.`)
    }
    return parts.filter((part) => part !== '').join('\n\n')
  }

  function section(entry: Entry, entries: readonly Entry[]): string {
    const { module, name, title, doc, documentedCode } = entry
    const within = (text: string) => links.within(text, module, name)
    const user = doc.examples.length > 0 ? undefined : userWithExample(entry, entries)
    const details = [
      ...doc.params.map((param) => `- ${within(param.replace(/^(\S+) /, '`$1`: '))}`),
      ...doc.returns.map((text) => `- Returns ${within(text)}`),
      ...doc.throws.map((text) => `- Throws ${within(text)}`),
    ]
    const parts = [
      `### ${title}`,
      within(doc.description),
      `\`\`\`ts\n${toCode(documentedCode)}\n\`\`\``,
      details.join('\n'),
      ...doc.examples.map(withCaption),
      user ? `For an example, see ${links.toEntry(user)}.` : '',
    ]
    return parts.filter((part) => part !== '').join('\n\n')
  }
}

const INTRODUCTION = `# API reference

Every export of the package, with its types, units, defaults and examples.

\`npm run api\` writes this page from the doc comments, which your editor shows too. The guides explain how the
parts fit together: [start with README](../README.md).`

/** The exports in the order of the reference: in each module functions, constants, classes, types. */
export function entriesOf({ modules }: PublicApi): Entry[] {
  const titles = new Set<string>()
  return modules.flatMap(({ name: module, exports }) =>
    [...exports]
      .sort((a, b) => rankOf(a) - rankOf(b))
      .map((declared) => {
        const title = titleOf(declared, module, titles)
        titles.add(title.toLowerCase())
        return { ...declared, module, title, doc: parseDoc(declared.comment) }
      }),
  )
}

function rankOf(declared: Declared): number {
  if (isType(declared)) return 3
  return ['function', 'const', 'class'].findIndex((keyword) =>
    declared.code.includes(`export declare ${keyword} `),
  )
}

/** Whether an export has no value at run time. */
export function isType({ code }: Declared): boolean {
  return /^export (?:type|interface) /.test(code) && !/^export declare const /m.test(code)
}

/** A title that is unique without regard to case, as anchors are: `memoryStorage` returns a `MemoryStorage`. */
function titleOf(declared: Declared, module: string, taken: ReadonlySet<string>): string {
  const { name } = declared
  if (!taken.has(name.toLowerCase())) return name
  return isType(declared) ? `${name} (type)` : `${name} of ${module}`
}

/** Finds the nearest export with an example that uses the given one, directly or through its types. */
export function userWithExample(entry: Entry, entries: readonly Entry[]): Entry | undefined {
  const seen = [entry]
  // It grows while it is walked, so the nearest come first.
  for (const used of seen) {
    const users = entries.filter((user) => !seen.includes(user) && mentions(user, used))
    const found = users.find(({ doc }) => doc.examples.length > 0)
    if (found) return found
    seen.push(...users)
  }
  return undefined
}

function mentions({ code }: Entry, { name }: Entry): boolean {
  return new RegExp(`\\b${name}\\b`).test(code)
}

function parseDoc(comment: string): Doc {
  const [description = '', ...tags] = comment.split(/^@(?=[a-z])/m).map((part) => part.trim())
  const ofTag = (tag: string) =>
    tags
      .filter((text) => text.startsWith(`${tag} `) || text.startsWith(`${tag}\n`))
      .map((text) => text.slice(tag.length).trim())
  return {
    description,
    params: ofTag('param'),
    returns: ofTag('returns'),
    throws: ofTag('throws'),
    examples: ofTag('example'),
  }
}

/** An example may have a caption in front of its code. */
function withCaption(example: string): string {
  const [, caption, code] = /^(?:<caption>)?(.*?)(?:<\/caption>)?\n?(```[\s\S]*)$/.exec(example)!
  return `${caption ? `Example, ${caption}` : 'Example'}:\n\n${code}`
}

/** The code of a declaration as a reader wants it: without `export declare`, by two spaces. */
function toCode(documentedCode: string): string {
  return documentedCode
    .replaceAll(/^(?:export )?(?:declare )?/gm, '')
    .replaceAll(/^(?: {4})+/gm, (indent) => indent.slice(indent.length / 2))
}

/** Links exports by the anchors that code hosts give to headings. */
function createLinks(entries: readonly Entry[]) {
  const toEntry = ({ name, title }: Entry) => `[\`${name}\`](#${anchorOf(title)})`
  const toModule = (module: string) => `[\`${module}\`](#${anchorOf(module)})`

  /** Links the first mention of each export in a text, except the one that the text is about. */
  function within(text: string, module: string, about?: string): string {
    const linked = new Set([about])
    const parts = text.split(/(^```[\s\S]*?^```$)/m)
    return parts
      .map((part) =>
        part.startsWith('```')
          ? part
          : part.replaceAll(/`([A-Za-z]\w*)`/g, (mention, name) => {
              const named = entries.filter((entry) => entry.name === name)
              const entry = named.find((entry) => entry.module === module) ?? named[0]
              if (!entry || linked.has(name)) return mention
              linked.add(name)
              return toEntry(entry)
            }),
      )
      .join('')
  }

  return { toEntry, toModule, within }
}

if (import.meta.main) writeFileSync(API_REFERENCE_FILE, apiReference(readPublicApi()))
