// Writes api.md, which shows every public type: npm run api

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix, relative, resolve, sep } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { createDeclarations, type Declaration } from './declarations.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** The file with the report. */
export const API_REPORT = join(import.meta.dirname, 'api.md')

/** Reports the declarations that each module of the package exports, and the private ones that they use. */
export function apiReport(): string {
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-api-'))
  try {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
    const build = ['-p', join(ROOT, 'tsconfig.build.json'), '--outDir', directory]
    execFileSync(process.execPath, [compiler, ...build])
    return report(directory)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

function report(directory: string): string {
  const { codeOf, find, exportsOf } = createDeclarations()
  const keyOf = ({ file, name }: Declaration) =>
    `${relative(directory, file).split(sep).join('/')} ${name}`
  /** The module whose section shows a declaration. */
  const shownIn = new Map<string, string>()
  const sections = [INTRODUCTION]
  const used: Declaration[] = []

  for (const [subpath, target] of Object.entries(manifest.exports)) {
    if (typeof target === 'string') continue
    const module = posix.join('plant-store', subpath)
    const lines: string[] = []
    const shown = new Map<string, string[]>()
    for (const [name, declaration] of exportsOf(target.types.replace('./dist', directory))) {
      const earlier = shownIn.get(keyOf(declaration))
      if (earlier) shown.set(earlier, [...(shown.get(earlier) ?? []), name])
      else {
        shownIn.set(keyOf(declaration), module)
        used.push(declaration)
        lines.push(codeOf(declaration))
      }
    }
    const again = [...shown].map(
      ([from, names]) => `export { ${names.join(', ')} } from '${from}';`,
    )
    sections.push(section(module, [...again, ...lines]))
  }

  const internal = new Map<string, string>()
  // It grows while it is walked: a private declaration may use others.
  for (const declaration of used) {
    const code = codeOf(declaration)
    for (const [name] of code.matchAll(/[A-Za-z_$][\w$]*/g)) {
      const reference = find(declaration.file, name)
      if (!reference || shownIn.has(keyOf(reference)) || internal.has(keyOf(reference))) continue
      internal.set(keyOf(reference), codeOf(reference))
      used.push(reference)
    }
  }
  const lines = [...internal].sort().map(([, code]) => code)
  return [...sections, section('Not exported, but used above', lines)].join('\n')
}

const INTRODUCTION = `# The public API

Every type that a user of the package meets, without the doc comments. \`npm run api\` writes this file from
the types that are published, and a test compares them, so that a review sees each change of the API.
`

function section(title: string, lines: string[]): string {
  return `## ${title}\n\n\`\`\`ts\n${lines.join('\n')}\n\`\`\`\n`
}

if (import.meta.main) writeFileSync(API_REPORT, apiReport())
