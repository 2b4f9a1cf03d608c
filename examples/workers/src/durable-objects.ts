// Run: cd examples/workers && npx wrangler dev -c durable-objects.jsonc
// Neither an account nor a network is needed. Then, in another terminal, the curl lines of index.ts.
// In a project of your own the imports are plant-store, plant-store/workers, plant-store/auth/tokens and
// plant-store/storage/durable-objects. durable-objects.jsonc says how to deploy it.
import { toWorker } from '../../../adapters/workers.ts'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { createPlantStore } from '../../../src/index.ts'
import { type DurableObjects, durableObjectStorage } from '../../../src/storage/durable-objects.ts'

// The runtime finds the class of the objects among what the Worker exports.
export { PlantsOfOwner } from '../../../src/storage/durable-objects.ts'

interface Env {
  PLANTS: DurableObjects
  TOKEN: string
}

export default toWorker((env: Env) =>
  createPlantStore(durableObjectStorage(env.PLANTS), staticTokens({ [env.TOKEN]: 'alice' })),
)
