import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { type DurableObjects, durableObjectStorage } from 'plant-store/storage/durable-objects'
import { toWorker } from 'plant-store/workers'

// The runtime finds the class of the objects among what the Worker exports.
export { PlantsOfOwner } from 'plant-store/storage/durable-objects'

interface Env {
  PLANTS: DurableObjects
  TOKEN: string
}

export default toWorker((env: Env) =>
  createPlantStore(durableObjectStorage(env.PLANTS), staticTokens({ [env.TOKEN]: 'alice' })),
)
