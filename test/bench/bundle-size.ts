import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Bundles a module as its user would for the web, minified, and answers its gzipped size in KiB. */
export async function bundleSize(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2023',
    external: ['cloudflare:*'],
    logLevel: 'silent',
  })
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length / 1024
}

/** A whole Worker: the core and D1. The token check is the Worker's own. */
export const WORKER = `
import { createPlantStore } from './src/index.ts'
import { d1Storage } from './src/storage/d1.ts'
import { toWorker } from './adapters/workers.ts'
export default toWorker((env: any) =>
  createPlantStore(d1Storage(env.PLANTS), (token) => token === env.TOKEN ? { owner: 'me' } : null))
`

/** The client, with all that it exports. */
export const CLIENT = `export * from './src/client.ts'`
