interface Modules {
  'adapters/bun.ts': typeof import('../../adapters/bun.ts')
  'adapters/deno.ts': typeof import('../../adapters/deno.ts')
  'adapters/express.ts': typeof import('../../adapters/express.ts')
  'adapters/fastify.ts': typeof import('../../adapters/fastify.ts')
  'adapters/node.ts': typeof import('../../adapters/node.ts')
  'src/auth/jwt.ts': typeof import('../../src/auth/jwt.ts')
  'src/auth/tokens.ts': typeof import('../../src/auth/tokens.ts')
  'src/index.ts': typeof import('../../src/index.ts')
  'src/storage/memory.ts': typeof import('../../src/storage/memory.ts')
  'src/storage/mysql.ts': typeof import('../../src/storage/mysql.ts')
  'src/storage/postgres.ts': typeof import('../../src/storage/postgres.ts')
  'src/storage/sqlite.ts': typeof import('../../src/storage/sqlite.ts')
}

/** Imports a module of the build, as users run it, by the path of its source. `npm run bench` builds first. */
export function importBuilt<Path extends keyof Modules>(source: Path): Promise<Modules[Path]> {
  return import(new URL(`../../dist/${source.replace(/ts$/, 'js')}`, import.meta.url).href)
}
