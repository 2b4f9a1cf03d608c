import Koa from 'koa'
import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { toNodeHandler } from 'plant-store/node'
import { sqliteStorage } from 'plant-store/storage/sqlite'

const store = createPlantStore(
  sqliteStorage(process.env.PLANT_STORE_DB ?? 'plants.db'),
  staticTokens({ s3cret: 'alice' }),
  {
    basePath: '/api',
    onResponse: ({ method, status, outcome }) => console.log(method, status, outcome),
  },
)

const plants = toNodeHandler(store)
const app = new Koa()
app.use((ctx, next) => {
  if (!ctx.path.startsWith('/api/')) return next()
  ctx.respond = false
  return plants(ctx.req, ctx.res)
})
app.listen(process.env.PORT ?? 3000)
