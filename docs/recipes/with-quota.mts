import { type PlantStorage, RateLimitedError } from 'plant-store'

export function withQuota(storage: PlantStorage): PlantStorage {
  return {
    async create(owner, plant, call) {
      try {
        return await storage.create(owner, plant, call)
      } catch (error) {
        if (!String(error).includes('plants_quota')) throw error
        throw new RateLimitedError('The owner has 1000 plants', { retryAfterSeconds: 3600 })
      }
    },
    list: (owner, query, call) => storage.list(owner, query, call),
    delete: (owner, id, call) => storage.delete(owner, id, call),
    close: () => storage.close?.(),
    maxConcurrentCalls: storage.maxConcurrentCalls, // for the store's queue
  }
}
