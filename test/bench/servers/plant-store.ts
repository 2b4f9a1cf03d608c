import type { PlantStorage } from '../../../src/plant-storage.ts'
import type { PlantStore } from '../../../src/plant-store.ts'
import { listen as listenOn } from '../../shared/listen.ts'
import { importBuilt, importCore } from '../own.ts'
import { verify } from './contract.ts'
import { runtime } from './serve-fetch.ts'

type Adapter = typeof import('../../../adapters/node.ts')

/** The plant store as the first screen of its README serves it: on Node, Bun and Deno. */
export async function listen(storage: PlantStorage): Promise<number> {
  const { serve } = await importBuilt<Adapter>(`adapters/${runtime}.ts`)
  return (await serve(await createStore(storage), { port: 0 })).port
}

/** The plant store mounted in an app's own server, which runs as Node starts it. */
export async function mount(storage: PlantStorage): Promise<number> {
  const { toNodeHandler } = await importBuilt<Adapter>('adapters/node.ts')
  return (await listenOn(toNodeHandler(await createStore(storage)))).port
}

export async function createStore(storage: PlantStorage): Promise<PlantStore> {
  const { createPlantStore } = await importCore()
  return createPlantStore(storage, verify)
}
