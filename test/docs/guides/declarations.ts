import { globSync } from 'node:fs'
import manifest from '../../../package.json' with { type: 'json' }
import { ROOT, readGuide } from './guides.ts'

/** What a source file declares and exports. */
export interface Declaration {
  name: string
  /** Whether it has no value at run time. */
  isType: boolean
  isFunction: boolean
  /** The doc comment in front of it, or an empty string. */
  comment: string
}

const EXPORTED =
  /^(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export (?:abstract |async )?(interface|type|const|function\*?|class) (\w+)/gm

/** Finds a declaration by its name. Only `serve` is the name of several. */
const declarations = new Map<string, Declaration>()
for (const file of globSync('{src,adapters}/**/*.ts', { cwd: ROOT })) {
  for (const declared of declaredIn(readGuide(file))) declarations.set(declared.name, declared)
}

/** The modules of the package that have types, such as `plant-store/node`, each with its exports. */
export const MODULES: readonly { specifier: string; exports: Declaration[] }[] = Object.entries(
  manifest.exports,
).flatMap(([subpath, target]) => {
  if (typeof target === 'string') return []
  const source = readGuide(target.types.replace('./dist/', '').replace('.d.ts', '.ts'))
  const passedOn = [...source.matchAll(/^export (type )?\{([^}]+)\}/gm)].flatMap(
    ([, type, list]) => {
      const names = list!.match(/\w+(?=\s*(?:,|$))/g)!
      const exported = names.map((name) => declarations.get(name)!)
      return type ? exported.map((declaration) => ({ ...declaration, isType: true })) : exported
    },
  )
  return [
    { specifier: `plant-store${subpath.slice(1)}`, exports: [...declaredIn(source), ...passedOn] },
  ]
})

function declaredIn(source: string): Declaration[] {
  const all = [...source.matchAll(EXPORTED)].map(([, comment = '', kind, name]) => ({
    name: name!,
    isType: kind === 'interface' || kind === 'type',
    isFunction: kind!.startsWith('function'),
    comment,
  }))
  // The first of several overloads has the comment.
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index)
}
