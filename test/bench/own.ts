/** Imports a module of the build, as users run it, by the path of its source. `npm run bench` builds first. */
export function importBuilt<Module>(source: string): Promise<Module> {
  return import(new URL(`../../dist/${source.replace(/ts$/, 'js')}`, import.meta.url).href)
}

export const importCore = () => importBuilt<typeof import('../../src/index.ts')>('src/index.ts')

export const importStorage = {
  memory: () => importBuilt<typeof import('../../src/storage/memory.ts')>('src/storage/memory.ts'),
  sqlite: () => importBuilt<typeof import('../../src/storage/sqlite.ts')>('src/storage/sqlite.ts'),
  postgres: () =>
    importBuilt<typeof import('../../src/storage/postgres.ts')>('src/storage/postgres.ts'),
}
