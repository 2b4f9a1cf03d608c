import { globSync, statSync } from 'node:fs'

const root = new URL('../../', import.meta.url)

/** What is measured: the build, as it is published, unless there is none or the source is newer. */
export const built = isBuilt()

function isBuilt(): boolean {
  const build = statSync(new URL('dist/src/index.js', root), { throwIfNoEntry: false })
  const sources = globSync(['src/**/*.ts', 'adapters/*.ts'], { cwd: root })
  return (
    build !== undefined &&
    sources.every((file) => statSync(new URL(file, root)).mtimeMs < build.mtimeMs)
  )
}

/** Imports an entry of the package as its users would, or its source. */
export async function importOwn<Entry>(specifier: string, source: string): Promise<Entry> {
  return import(built ? specifier : new URL(source, root).href)
}

export const importCore = () =>
  importOwn<typeof import('../../src/index.ts')>('plant-store', 'src/index.ts')
export const importNode = () =>
  importOwn<typeof import('../../adapters/node.ts')>('plant-store/node', 'adapters/node.ts')
export const importMemory = () =>
  importOwn<typeof import('../../src/storage/memory.ts')>(
    'plant-store/storage/memory',
    'src/storage/memory.ts',
  )
export const importSqlite = () =>
  importOwn<typeof import('../../src/storage/sqlite.ts')>(
    'plant-store/storage/sqlite',
    'src/storage/sqlite.ts',
  )
export const importPostgres = () =>
  importOwn<typeof import('../../src/storage/postgres.ts')>(
    'plant-store/storage/postgres',
    'src/storage/postgres.ts',
  )
