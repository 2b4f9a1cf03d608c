import type { PlantStore } from '../../../src/index.ts'

const runtime = 'Bun' in globalThis ? 'bun' : 'Deno' in globalThis ? 'deno' : 'node'
const { serve } = await import(`../../../adapters/${runtime}.ts`)

export async function listen(store: PlantStore): Promise<number> {
  return (await serve(store, { port: 0, graceMs: 500 })).port
}
