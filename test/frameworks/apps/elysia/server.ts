import { Elysia } from 'elysia'
import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { toBunHandler } from 'plant-store/bun'
import { sqliteStorage } from 'plant-store/storage/sqlite'

const store = createPlantStore(
  sqliteStorage(process.env.PLANT_STORE_DB ?? 'plants.db'),
  staticTokens({ s3cret: 'alice' }),
  {
    basePath: '/api',
    onResponse: ({ method, status, outcome }) => console.log(method, status, outcome),
  },
)

const plants = toBunHandler(store)
const respond = ({ request }: { request: Request }) => plants(request)
const app = new Elysia()
app.all('/api/*', respond, { parse: 'none' })
for (const method of ['GET', 'HEAD', 'POST']) {
  app.route(method, '/api/plants', respond, { parse: 'none' })
}
app.listen(process.env.PORT ?? 3000)
