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

const handler = ({ request }: { request: Request }) => getStore().fetch(request)

// React Router calls the loader for GET, HEAD and OPTIONS, and the action for the other methods.
export { handler as action, handler as loader }
