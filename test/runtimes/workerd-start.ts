import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { Miniflare, type MiniflareOptions } from 'miniflare'

/** Runs a Worker from source in workerd, on its own port. */
export async function startWorker(entry: URL, bindings: Record<string, unknown> = {}) {
  const script = await bundleWorker(entry)
  const options: MiniflareOptions = { modules: true, script, compatibilityDate: '2026-04-01' }
  const miniflare = new Miniflare({ ...options, ...bindings })
  const { origin } = await miniflare.ready
  return { url: origin, miniflare, stop: () => miniflare.dispose() }
}

/**
 * Like `fetch`, but without keep-alive. workerd closes an idle connection after 5 s, and any connection
 * after a truncated response, without announcing either. On a busy machine the next request may be sent
 * just then, and fail with ECONNRESET.
 */
export function fetchOnOwnConnection(request: Request): Promise<Response> {
  request.headers.set('connection', 'close')
  return fetch(request)
}

/** An option for tests that provoke failures: workerd would print the stack of each. */
export const quiet = {
  handleRuntimeStdio(stdout: Readable, stderr: Readable) {
    stdout.resume()
    stderr.resume()
  },
}

/** Bundles a Worker from source, with wrangler's settings. */
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
