// Serves with the `serve` of a runtime: serve.ts node
import { createAdapterTestStore } from '../../../src/testing.ts'

// By their whole names, so that Deno loads them without permission to read.
const adapters = {
  node: () => import('../../../adapters/node.ts'),
  bun: () => import('../../../adapters/bun.ts'),
  deno: () => import('../../../adapters/deno.ts'),
}
const { serve } = await adapters[process.argv[2] as keyof typeof adapters]()
// Soon, although the tests leave calls of the storage that never end.
const { url } = await serve(createAdapterTestStore(), { port: 0, graceMs: 100 })
console.log(url)
