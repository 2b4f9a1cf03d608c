import { createPlantClient } from '../../src/client.ts'

/** Uses the client as a page would. Runs in the browser, and returns all that it has seen. */
export async function useClient(id: string): Promise<unknown[]> {
  const plants = createPlantClient({ baseUrl: '/', token: 'demo' })
  const seen: unknown[] = [await plants.create({ id: BigInt(id), name: 'Fern' })]
  for await (const plant of plants.list()) seen.push(plant)
  await plants.delete(BigInt(id))
  seen.push(await plants.listPage())

  const controller = new AbortController()
  const listing = plants.listPage({ signal: controller.signal })
  controller.abort('reason')
  seen.push(await listing.catch((reason) => reason))
  return seen
}
