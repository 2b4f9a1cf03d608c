import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { Miniflare, type MiniflareOptions } from 'miniflare'

/** Runs a Worker from source in workerd, on a socket of its own. */
export async function startWorker(entry: URL, bindings: Record<string, unknown> = {}) {
  const script = await bundleWorker(entry)
  const options: MiniflareOptions = { modules: true, script, compatibilityDate: '2026-04-01' }
  const miniflare = new Miniflare({ ...options, ...bindings })
  const { origin } = await miniflare.ready
  return { url: origin, miniflare, stop: () => miniflare.dispose() }
}

/** An option for tests that provoke failures, of which workerd prints each one's stack. */
export const quiet = {
  handleRuntimeStdio(stdout: Readable, stderr: Readable) {
    stdout.resume()
    stderr.resume()
  },
}

/** Bundles a Worker from source, with the settings that wrangler has. */
export async function bundleWorker(entry: URL, options: BuildOptions = {}): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    ...options,
    write: false,
  })
  return outputFiles[0]!.text
}
