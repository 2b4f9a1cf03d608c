import { globSync } from 'node:fs'
import { MODULES } from './declarations.ts'
import { ROOT, readGuide } from './guides.ts'

/** The TypeScript of all doc comments in `src` and `adapters`, each block with its file and its first line. */
export function docExamples() {
  return globSync('{src,adapters}/**/*.ts', { cwd: ROOT }).flatMap((source) => {
    const text = readGuide(source)
    return [...text.matchAll(/^ *\/\*\*[\s\S]*?\*\//gm)].flatMap(({ 0: comment, index }) => {
      const before = text.slice(0, index)
      const doc = comment.replaceAll(/^ *\* ?/gm, '')
      const blocks = doc.matchAll(/^```ts\n([\s\S]*?)^```$/gm)
      return [...blocks].map(({ 1: code, index }) => ({
        source,
        line: (before + doc.slice(0, index)).split('\n').length,
        code: code!,
      }))
    })
  })
}

/** What the examples use of their app: of any type, but for what the package itself hands out. */
const OF_APP: Record<string, string> = {
  app: "import('express').Express",
  incoming: "import('plant-store').IncomingRequest",
  plants: "import('plant-store/client').PlantClient",
  reply: "import('plant-store').Reply",
  request: 'Request',
  response: 'Response',
  storage: "import('plant-store/storage/sqlite').SqliteStorage",
}
const ANY =
  /^(?:Deno|bucket|cert|ctx|env|error|key|message|myStorage|pool|send|sessions|sql|startMyHost|toMyHandler)$/
const ANY_TYPE = /^(?:D1Database|Env|HostRequest|HostResponse)$/

/** Declarations for every example: `store`, `storage` and `verify` are an app's. */
const APP = ['store', 'storage', 'verify']

/** The import lines of a name, one for each module that exports it. */
const importsByName = new Map<string, string[]>()
for (const { specifier, exports } of MODULES) {
  for (const { name, isType } of exports) {
    const line = `import { ${isType ? 'type ' : ''}${name} } from '${specifier}'`
    importsByName.set(name, [...(importsByName.get(name) ?? []), line])
  }
}

/**
 * Completes an example: a name that it uses and does not declare is the app's, or imported from the package. If several modules export it, the one that the comment is in counts.
 *
 * @returns the code, and whether it runs by itself: it needs nothing of an app, and no server
 */
export function completeExample({ source, code }: { source: string; code: string }) {
  const words = [...new Set(code.replaceAll(/\/\/.*|'[^']*'/g, '').match(/[A-Za-z_]\w*/g))]
  const missing = words.filter((name) => !declares(code, name))
  const constants = missing.filter((name) => name in OF_APP || ANY.test(name))
  const types = missing.filter((name) => ANY_TYPE.test(name))
  const imported = missing.filter((name) => !constants.includes(name) && importsByName.has(name))
  const head = [
    ...imported.map((name) => {
      const lines = importsByName.get(name)!
      return lines.find((line) => isFrom(line, source)) ?? lines[0]
    }),
    ...constants.map((name) => `declare const ${name}: ${OF_APP[name] ?? 'any'}`),
    ...types.map((name) => `type ${name} = any`),
  ]
  const needsApp = constants.length + types.length > 0 || missing.some((name) => APP.includes(name))
  return {
    code: `${head.join('\n')}\n${code}\nexport {}\n`,
    runs:
      !needsApp &&
      !/https:\/\/garden|from '(?:\.|vitest|node:test|mysql2|@electric-sql)/.test(code),
  }
}

function declares(code: string, name: string): boolean {
  const declaration = `(?:const|let|function|class|interface|type) ${name}\\b`
  return new RegExp(`${declaration}|import [^;\n]*\\b${name}\\b.* from`).test(code)
}

/** Whether an import is of the module that a source file belongs to: `plant-store/bun`, `adapters/bun.ts`. */
function isFrom(line: string, source: string): boolean {
  const [, name] = /\/([\w-]+)'$/.exec(line) ?? []
  return name !== undefined && new RegExp(`/${name}[./]`).test(source)
}
