import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** A declaration: the name that it has in the file that holds it. */
export interface Declaration {
  file: string
  name: string
}

/**
 * Reads .d.ts files as tsc writes them: one statement begins at the start of a line, and its further lines
 * are indented or begin with a closing bracket. TypeScript 7 has no API for this.
 */
export function createDeclarations() {
  const statementsByFile = new Map<string, string[]>()

  /** The statements of a file. A doc comment is one of its own, in front of the statement that it is for. */
  function statementsOf(file: string): string[] {
    let statements = statementsByFile.get(file)
    if (!statements) {
      const code = readFileSync(file, 'utf8')
      statements = code.split(/^(?=[^\s})\]])/m).map((statement) => statement.trimEnd())
      statementsByFile.set(file, statements)
    }
    return statements
  }

  /** The code of a declaration: several statements for overloads, and for a type and a value of one name. */
  function codeOf({ file, name }: Declaration): string {
    return statementsOf(file)
      .filter((statement) => declaredName(statement) === name)
      .join('\n')
  }

  /** The doc comment in front of a declaration, or an empty string. */
  function commentOf({ file, name }: Declaration): string {
    const statements = statementsOf(file)
    const before = statements[statements.findIndex((it) => declaredName(it) === name) - 1] ?? ''
    return before.startsWith('/**') ? before : ''
  }

  /** Finds what a name stands for in a file; undefined if it comes from another package or from a library. */
  function find(file: string, name: string): Declaration | undefined {
    if (codeOf({ file, name })) return { file, name }
    for (const { from, names } of statementsOf(file).flatMap(readClause)) {
      const original = names.get(name)
      if (original && from?.startsWith('.'))
        return find(resolve(file, '..', toFile(from)), original)
    }
    return undefined
  }

  /** Whether a declaration has no value at run time. */
  function isType(declaration: Declaration): boolean {
    return !/^export declare (?:const|function|class) /m.test(codeOf(declaration))
  }

  /** The exports of a module, by name. */
  function exportsOf(file: string): Map<string, Declaration> {
    const names = statementsOf(file)
      .filter((statement) => statement.startsWith('export '))
      .flatMap((statement) => {
        const name = declaredName(statement)
        return name ? [name] : readClause(statement).flatMap(({ names }) => [...names.keys()])
      })
    return new Map(names.sort().map((name) => [name, find(file, name)!]))
  }

  return { commentOf, exportsOf, isType }
}

function declaredName(statement: string): string | undefined {
  const declaration =
    /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|const|function|class) (\w+)/
  return declaration.exec(statement)?.[1]
}

/** Reads `import { … } from` and `export { … } from`: the names there, and the names that they stand for. */
function readClause(statement: string): { names: Map<string, string>; from: string | undefined }[] {
  const [, clause, from] =
    /^(?:import|export)[^'"]*\{([^}]*?),?\s*\}(?: from '(.*)')?;$/.exec(statement) ?? []
  if (!clause) return []
  const names = clause.split(',').map((part): [string, string] => {
    const [original = '', name = original] = part
      .trim()
      .replace(/^type /, '')
      .split(' as ')
    return [name, original]
  })
  return [{ names: new Map(names), from }]
}

function toFile(specifier: string): string {
  return specifier.replace(/\.ts$/, '.d.ts')
}
