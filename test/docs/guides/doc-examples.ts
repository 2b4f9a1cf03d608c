import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { createDeclarations } from './declarations.ts'
import { ROOT } from './guides.ts'

/** A code block in a doc comment. */
export interface DocExample {
  /** The file of the comment, such as `src/plant-store.ts`. */
  readonly source: string
  /** The line on which the block begins. */
  readonly line: number
  readonly language: string
  readonly code: string
}

/** The examples of all doc comments in `src` and `adapters`. */
export function docExamples(): DocExample[] {
  return globSync('{src,adapters}/**/*.ts', { cwd: ROOT }).flatMap((source) => {
    const text = readFileSync(join(ROOT, source), 'utf8')
    return [...text.matchAll(/^ *\/\*\*[\s\S]*?\*\//gm)].flatMap(({ 0: comment, index }) => {
      const before = text.slice(0, index)
      const doc = comment.replaceAll(/^ *\* ?/gm, '')
      const blocks = doc.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)
      return [...blocks].map(({ 1: language, 2: code, index }) => ({
        source,
        line: (before + doc.slice(0, index)).split('\n').length,
        language: language!,
        code: code!,
      }))
    })
  })
}

const INCOMING = "const incoming: import('plant-store').IncomingRequest"

/** Declarations for the examples of a file. */
const CONTEXT: Record<string, Record<string, string>> = {
  'adapters/node/handler.ts': { key: 'const key: string', cert: 'const cert: string' },
  'adapters/workers.ts': {
    D1Database: "type D1Database = import('plant-store/storage/d1').D1",
  },
  'src/adapter.ts': {
    HostRequest: `interface HostRequest {
      method: string
      path: string
      url: string
      headers: Record<string, string>
      body: AsyncIterable<Uint8Array>
      signal: AbortSignal
    }`,
    HostResponse: `interface HostResponse {
      send(status: number, headers: Record<string, string>, body: string | null): void
      start(status: number, headers: Record<string, string>): void
      write(text: string): Promise<void>
      end(): void
      abort(): void
    }`,
  },
  'src/adapter/body-buffer.ts': {
    message: 'const message: AsyncIterable<Uint8Array>',
  },
  'src/adapter/from-request.ts': {
    request: 'const request: Request',
    ctx: "const ctx: import('plant-store/workers').WorkerContext",
  },
  'src/adapter/get-reply.ts': { incoming: INCOMING },
  'src/adapter/get-response.ts': { request: 'const request: Request' },
  'src/adapter/internal-error-reply.ts': {
    incoming: INCOMING,
    reply: "const reply: import('plant-store').Reply",
    send: "function send(reply: import('plant-store').Reply): Promise<void>",
  },
  'src/adapter/read-chunks.ts': { message: "const message: import('node:http').IncomingMessage" },
  'src/adapter/to-response.ts': { incoming: INCOMING },
  'src/auth-verifier.ts': {
    sessions: 'const sessions: { find(token: string): Promise<{ userId: string } | undefined> }',
  },
  'src/client/plant-store-error.ts': {
    plants: "const plants: import('plant-store/client').PlantClient",
  },
  'src/errors.ts': { response: 'const response: Response' },
  'src/incoming-request.ts': { request: 'const request: Request' },
  'src/openapi.ts': { app: "const app: import('express').Express" },
  'src/plant-storage.ts': { error: 'const error: unknown' },
  'src/plant.ts': { response: 'const response: Response' },
  'src/rate-limited-error.ts': { bucket: 'const bucket: { take(token: string): boolean }' },
  'src/reply.ts': {
    reply: "const reply: import('plant-store').Reply",
    send: 'function send(part: string): Promise<void>',
  },
  'src/storage/d1.ts': {
    Env: "interface Env { PLANTS: import('plant-store/storage/d1').D1 }",
    env: "const env: { PLANTS: import('plant-store/storage/d1').D1 }",
  },
  'src/storage/durable-objects.ts': {
    Env: "interface Env { PLANTS: import('plant-store/storage/durable-objects').DurableObjects }",
    env: "const env: { PLANTS: import('plant-store/storage/durable-objects').DurableObjects }",
  },
  'src/storage/mysql.ts': { pool: "const pool: import('mariadb').Pool" },
  'src/storage/postgres.ts': {
    sql: 'const sql: { unsafe(text: string, values?: unknown[]): Promise<object[]> }',
  },
  'src/storage/sqlite.ts': {
    storage: "const storage: import('plant-store/storage/sqlite').SqliteStorage",
  },
  'src/testing/adapter.ts': {
    toMyHandler:
      "function toMyHandler(store: import('plant-store').PlantStore): import('node:http').RequestListener",
  },
  'src/testing/adapter/test-store.ts': {
    startMyHost:
      "function startMyHost(store: import('plant-store').PlantStore, options: object): void",
  },
  'src/testing/framework.ts': {
    Deno: 'const Deno: { test(name: string, run: () => Promise<void>): void }',
    myStorage: "function myStorage(): import('plant-store').PlantStorage",
  },
  'src/testing.ts': {
    database: 'const database: { exec(sql: string): Promise<void> }',
    myStorage: "function myStorage(database?: unknown): import('plant-store').PlantStorage",
  },
}

/** Declarations for every example: `store`, `storage` and `verify` are an app's. */
const APP = ['store', 'storage', 'verify']

/** The import lines of a name, one for each module that exports it. */
const importsByName = new Map<string, string[]>()
const { exportsOf, isType } = createDeclarations()
for (const [subpath, target] of Object.entries(manifest.exports)) {
  if (typeof target === 'string') continue
  for (const [name, declaration] of exportsOf(join(ROOT, target.types))) {
    const line = `import { ${isType(declaration) ? 'type ' : ''}${name} } from 'plant-store${subpath.slice(1)}'`
    importsByName.set(name, [...(importsByName.get(name) ?? []), line])
  }
}

/**
 * Completes an example: a name that it uses and does not declare is declared as `CONTEXT` says, or imported
 * from the package. If several modules export it, the one that the comment is in counts.
 *
 * @returns the code, and whether it runs by itself: it needs nothing of an app, and no server
 */
export function completeExample({ source, code }: DocExample): { code: string; runs: boolean } {
  const words = [...new Set(code.replaceAll(/\/\/.*|'[^']*'/g, '').match(/[A-Za-z_]\w*/g))]
  const missing = words.filter((name) => !declares(code, name))
  const context = CONTEXT[source] ?? {}
  const declared = missing.filter((name) => name in context)
  const imported = missing.filter((name) => !(name in context) && importsByName.has(name))
  const head = [
    ...imported.map((name) => {
      const lines = importsByName.get(name)!
      return lines.find((line) => isFrom(line, source)) ?? lines[0]
    }),
    ...declared.map((name) => `declare ${context[name]}`),
  ]
  const needsApp = declared.length > 0 || missing.some((name) => APP.includes(name))
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
