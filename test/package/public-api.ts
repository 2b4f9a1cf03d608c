import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix, relative, sep } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { installed, ROOT } from '../runtimes/program.ts'
import { createDeclarations, type Declaration } from './declarations.ts'

/** The exports of one import of the package. */
export interface PublicModule {
  /** Such as `plant-store/node`. */
  readonly name: string
  /** The file of the declarations, such as `adapters/node.d.ts`. */
  readonly file: string
  readonly exports: readonly Declared[]
  /** The exports that an earlier module also has, by the name of that module. */
  readonly again: ReadonlyMap<string, readonly string[]>
}

/** A declaration, with and without the doc comments of its members, and the doc comment in front of it. */
export interface Declared {
  readonly name: string
  readonly code: string
  readonly documentedCode: string
  readonly comment: string
}

export interface PublicApi {
  readonly modules: readonly PublicModule[]
  /** The declarations that the public ones use and that no module exports. */
  readonly internal: readonly Declared[]
}

/** Compiles the package's declarations, and finds what each module exports. */
export function readPublicApi(): PublicApi {
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-api-'))
  try {
    const build = ['-p', join(ROOT, 'tsconfig.build.json'), '--outDir', directory]
    execFileSync(process.execPath, [installed('typescript/bin/tsc'), ...build])
    return collect(directory)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

function collect(directory: string): PublicApi {
  const { codeOf, documentedCodeOf, commentOf, find, exportsOf } = createDeclarations()
  const keyOf = ({ file, name }: Declaration) =>
    `${relative(directory, file).split(sep).join('/')} ${name}`
  const toDeclared = (name: string, declaration: Declaration): Declared => ({
    name,
    code: codeOf(declaration),
    documentedCode: documentedCodeOf(declaration),
    comment: commentOf(declaration),
  })
  /** The module that shows a declaration. */
  const shownIn = new Map<string, string>()
  const used: Declaration[] = []

  const modules: PublicModule[] = []
  for (const [subpath, target] of Object.entries(manifest.exports)) {
    if (typeof target === 'string') continue
    const module = posix.join('plant-store', subpath)
    const file = target.types.replace('./dist/', '')
    const exports: Declared[] = []
    const again = new Map<string, string[]>()
    for (const [name, declaration] of exportsOf(join(directory, file))) {
      const earlier = shownIn.get(keyOf(declaration))
      if (earlier) again.set(earlier, [...(again.get(earlier) ?? []), name])
      else {
        shownIn.set(keyOf(declaration), module)
        used.push(declaration)
        exports.push(toDeclared(name, declaration))
      }
    }
    modules.push({ name: module, file, exports, again })
  }

  const internal = new Map<string, Declared>()
  // It grows while it is walked: a private declaration may use others.
  for (const declaration of used) {
    const code = codeOf(declaration)
    for (const [name] of code.matchAll(/[A-Za-z_$][\w$]*/g)) {
      const reference = find(declaration.file, name)
      if (!reference || shownIn.has(keyOf(reference)) || internal.has(keyOf(reference))) continue
      internal.set(keyOf(reference), toDeclared(reference.name, reference))
      used.push(reference)
    }
  }
  return { modules, internal: [...internal].sort().map(([, declared]) => declared) }
}
