import { createPlantClient, type PlantClient, PlantStoreError } from '../../src/client.ts'
import { StorageUnavailableError } from '../../src/errors.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'

/** The codes of errors that don't tell whether the call took effect. They are reported as unavailability. */
const UNKNOWN = ['storage_unavailable', 'timeout', 'network_error']

/**
 * Calls servers as a storage would be called. Each owner's token is its name. Lists over HTTP have no ids, so
 * each plant's tag must be its id.
 *
 * @param server returns the URL that the next request is sent to, such as `http://127.0.0.1:3000`
 */
export function httpStorage(server: () => Promise<string>): PlantStorage {
  async function ask<T>(
    owner: string,
    call: (client: PlantClient) => Promise<T>,
    no?: string,
  ): Promise<T | false> {
    try {
      // A second try would hide the outcome of the first.
      return await call(createPlantClient({ baseUrl: await server(), token: owner, retry: 0 }))
    } catch (error) {
      if (!(error instanceof PlantStoreError)) throw error
      if (error.code === no) return false
      if (!UNKNOWN.includes(error.code)) throw error
      throw new StorageUnavailableError(error.message, { cause: error })
    }
  }

  return {
    create: (owner, plant) =>
      ask(owner, (client) => client.create(plant).then(() => true), 'duplicate_id'),
    delete: (owner, id) =>
      ask(owner, (client) => client.delete(id).then(() => true), 'plant_not_found'),
    async list(owner) {
      const page = await ask(owner, (client) => client.listPage())
      return page ? page.plants.map((plant) => ({ ...plant, id: BigInt(plant.tag!) })) : []
    },
  }
}
