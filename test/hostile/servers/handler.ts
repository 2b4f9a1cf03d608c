import { toNodeHandler } from '../../../adapters/node.ts'
import type { PlantStore } from '../../../src/index.ts'
import { listen as listenOn } from '../../shared/listen.ts'

export async function listen(store: PlantStore): Promise<number> {
  return (await listenOn(toNodeHandler(store))).port
}
