import { createPlantStore, type PlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { sqliteStorage } from 'plant-store/storage/sqlite'

let opened: PlantStore | undefined

// The first request opens the database, not the import, which the build does too.
export function store(): PlantStore {
  opened ??= createPlantStore(
    sqliteStorage(process.env.PLANT_STORE_DB ?? 'plants.db'),
    staticTokens({ s3cret: 'alice' }),
    {
      basePath: '/api',
      onResponse: ({ method, status, outcome }) => console.log(method, status, outcome),
    },
  )
  return opened
}
