import { defineHandler } from 'nitro/h3'
import { createPlantStore, type PlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { sqliteStorage } from 'plant-store/storage/sqlite'

let store: PlantStore | undefined

// The first request opens the database, not the import, which a build may do too.
const getStore = () =>
  (store ??= createPlantStore(
    sqliteStorage(process.env.PLANT_STORE_DB ?? 'plants.db'),
    staticTokens({ s3cret: 'alice' }),
    {
      basePath: '/api',
      onResponse: ({ method, status, outcome }) => console.log(method, status, outcome),
    },
  ))

export default defineHandler(({ req }) => getStore().fetch(req))
