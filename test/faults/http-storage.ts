import { createPlantClient, PlantStoreError } from '../../src/client.ts'
import type { StoredPlant } from '../../src/plant.ts'
import { type PlantStorage, StorageUnavailableError } from '../../src/plant-storage.ts'

/** Errors that don't tell whether the call took effect. */
const UNKNOWN = ['storage_unavailable', 'timeout', 'network_error']

/**
 * Calls servers as a storage would be called. Each owner's token is its name. Lists over HTTP have no ids, so
 * each plant's tag must be its id.
 *
 * @param server returns the URL that the next request is sent to, such as `http://127.0.0.1:3000`
 */
export function httpStorage(
  server: () => Promise<string>,
): Pick<PlantStorage, 'create' | 'list' | 'delete'> {
  async function call<T>(
    owner: string,
    run: (client: ReturnType<typeof createPlantClient>) => Promise<T>,
    no?: string,
  ): Promise<T | false> {
    try {
      // A second try would hide the outcome of the first.
      return await run(createPlantClient({ baseUrl: await server(), token: owner, retry: 0 }))
    } catch (error) {
      const { code } = error as PlantStoreError
      if (code === no) return false
      if (error instanceof PlantStoreError && UNKNOWN.includes(code)) {
        throw new StorageUnavailableError(error.message, { cause: error })
      }
      throw error
    }
  }

  return {
    create: (owner, plant) =>
      call(owner, async (client) => Boolean(await client.create(plant)), 'duplicate_id'),
    delete: (owner, id) =>
      call(owner, (client) => client.delete(id).then(() => true), 'plant_not_found'),
    async list(owner) {
      const page = await call(owner, (client) => client.listPage())
      return page
        ? page.plants.map((plant): StoredPlant => ({ ...plant, id: BigInt(plant.tag!) }))
        : []
    },
  }
}
