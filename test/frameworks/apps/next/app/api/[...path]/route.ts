import { createPlantStore, type PlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { sqliteStorage } from 'plant-store/storage/sqlite'

let store: PlantStore | undefined

// `next build` imports this module too, and has no database: the first request opens it.
const getStore = () =>
  (store ??= createPlantStore(
    sqliteStorage(process.env.PLANT_STORE_DB ?? 'plants.db'),
    staticTokens({ s3cret: 'alice' }),
    {
      basePath: '/api',
      onResponse: ({ method, status, outcome }) => console.log(method, status, outcome),
    },
  ))

const handler = (request: Request) => getStore().fetch(request)

// Every method that Next.js routes: to those that are missing it sends an empty 405 without Allow.
export {
  handler as DELETE,
  handler as GET,
  handler as HEAD,
  handler as OPTIONS,
  handler as PATCH,
  handler as POST,
  handler as PUT,
}
