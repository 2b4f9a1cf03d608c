// Run: cd examples/workers && npx wrangler d1 migrations apply plants --local && npx wrangler dev
// Neither an account nor a network is needed. Then, in another terminal:
//   curl -H 'Authorization: Bearer s3cret' -H 'Content-Type: application/json' \
//     -d '{"id": 7, "name": "Monstera"}' http://localhost:8787/plants
//   curl -H 'Authorization: Bearer s3cret' http://localhost:8787/plants
// In a project of your own the imports are plant-store, plant-store/workers, plant-store/storage/d1 and
// plant-store/auth/tokens. wrangler.jsonc says how to deploy it.
import { toWorker } from '../../../adapters/workers.ts'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { createPlantStore } from '../../../src/index.ts'
import { type D1, d1Storage } from '../../../src/storage/d1.ts'

interface Env {
  PLANTS: D1
  TOKEN: string
}

export default toWorker((env: Env) =>
  createPlantStore(d1Storage(env.PLANTS), staticTokens({ [env.TOKEN]: 'alice' })),
)
