import { createServer } from 'node:http'
import { toNodeHandler } from '../../../adapters/node.ts'
import type { PlantStore } from '../../../src/index.ts'
import { listenOn } from './listen-on.ts'

export function listen(store: PlantStore): Promise<number> {
  return listenOn(createServer(toNodeHandler(store)))
}
