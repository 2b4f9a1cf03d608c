import express from 'express'
import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { toExpressHandler } from 'plant-store/express'
import { sqliteStorage } from 'plant-store/storage/sqlite'

const store = createPlantStore(
  sqliteStorage(process.env.PLANT_STORE_DB ?? 'plants.db'),
  staticTokens({ s3cret: 'alice' }),
)

const app = express()
app.use('/api', toExpressHandler(store))
app.use(express.static('dist'))
app.listen(process.env.PORT ?? 3000)
