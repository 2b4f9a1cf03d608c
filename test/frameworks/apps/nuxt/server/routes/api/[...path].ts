import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { toNodeHandler } from 'plant-store/node'
import { sqliteStorage } from 'plant-store/storage/sqlite'

let handler: ReturnType<typeof toNodeHandler> | undefined

// The first request opens the database, not the import, which a build may do too.
const getHandler = () =>
  (handler ??= toNodeHandler(
    createPlantStore(
      sqliteStorage(process.env.PLANT_STORE_DB ?? 'plants.db'),
      staticTokens({ s3cret: 'alice' }),
      {
        basePath: '/api',
        onResponse: ({ method, status, outcome }) => console.log(method, status, outcome),
      },
    ),
  ))

// Not `store.fetch(toWebRequest(event))`: the h3 1 of Nuxt 4 reads a streamed response to its end as fast as it
// can, even when the client has hung up.
// With the third parameter, h3 waits for the response's end.
export default fromNodeMiddleware((request, response, _next) => {
  getHandler()(request, response)
})
