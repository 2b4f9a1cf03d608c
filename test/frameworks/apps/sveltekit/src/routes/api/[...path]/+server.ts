import { createPlantStore, type PlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { sqliteStorage } from 'plant-store/storage/sqlite'

let store: PlantStore | undefined

// `vite build` imports this module too, and has no database: the first request opens it.
const getStore = () =>
  (store ??= createPlantStore(
    sqliteStorage(process.env.PLANT_STORE_DB ?? 'plants.db'),
    staticTokens({ s3cret: 'alice' }),
    {
      basePath: '/api',
      onResponse: ({ method, status, outcome }) => console.log(method, status, outcome),
    },
  ))

export const fallback = ({ request }: { request: Request }) => getStore().fetch(request)
