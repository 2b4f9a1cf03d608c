import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { type D1, d1Storage } from 'plant-store/storage/d1'
import { toWorker } from 'plant-store/workers'

interface Env {
  PLANTS: D1
  TOKEN: string
}

export default toWorker((env: Env) =>
  createPlantStore(d1Storage(env.PLANTS), staticTokens({ [env.TOKEN]: 'alice' })),
)
