import type { PlantStore } from '../../../src/plant-store.ts'
import { listen as listenOn } from '../../shared/listen.ts'

/** The plant store as the first screen of its README serves it: on Node, Bun and Deno. */
export async function serve(store: PlantStore): Promise<number> {
  const runtime = 'Bun' in globalThis ? 'bun' : 'Deno' in globalThis ? 'deno' : 'node'
  const { serve } = await import(`../../../adapters/${runtime}.ts`)
  return (await serve(store, { port: 0 })).port
}

/** The plant store mounted in an app's own server, which runs as Node starts it. */
export async function mount(store: PlantStore): Promise<number> {
  const { toNodeHandler } = await import('../../../adapters/node.ts')
  return (await listenOn(toNodeHandler(store))).port
}
