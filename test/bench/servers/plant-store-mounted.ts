import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import { importNode } from '../own.ts'
import { createStore } from './plant-store.ts'

/** The plant store mounted in an app's own server, which runs as Node starts it. */
export async function listen(storage: PlantStorage): Promise<number> {
  const { toNodeHandler } = await importNode()
  const server = createServer(toNodeHandler(await createStore(storage)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
