import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import { importCore, importNode } from '../own.ts'
import { owners } from './contract.ts'

/** The plant store through its Node adapter. */
export async function listen(storage: PlantStorage): Promise<number> {
  const [{ createPlantStore }, { toNodeHandler }] = await Promise.all([importCore(), importNode()])
  const store = createPlantStore(storage, (token) => {
    const owner = owners.get(token)
    return owner === undefined ? null : { owner }
  })
  const server = createServer(toNodeHandler(store))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
