import type { AuthVerifier } from '../../../src/auth-verifier.ts'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import type { PlantStore } from '../../../src/plant-store.ts'
import { listen as listenOn } from '../../shared/listen.ts'
import { importBuilt } from '../own.ts'
import * as contract from './contract.ts'
import { runtime } from './serve-fetch.ts'

/** The plant store as the first screen of its README serves it: on Node, Bun and Deno. */
export async function listen(storage: PlantStorage, verify?: AuthVerifier): Promise<number> {
  const { serve } = await importBuilt(`adapters/${runtime}.ts`)
  return (await serve(await createStore(storage, verify), { port: 0 })).port
}

/** The plant store mounted in an app's own server, which runs as Node starts it. */
export async function mount(storage: PlantStorage): Promise<number> {
  const { toNodeHandler } = await importBuilt('adapters/node.ts')
  return (await listenOn(toNodeHandler(await createStore(storage)))).port
}

export async function createStore(
  storage: PlantStorage,
  verify: AuthVerifier = contract.verify,
): Promise<PlantStore> {
  const { createPlantStore } = await importBuilt('src/index.ts')
  return createPlantStore(storage, verify)
}
