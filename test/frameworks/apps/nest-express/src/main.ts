import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { toExpressHandler } from 'plant-store/express'
import { sqliteStorage } from 'plant-store/storage/sqlite'
import { AppModule } from './app.module.js'

const store = createPlantStore(
  sqliteStorage(process.env.PLANT_STORE_DB ?? 'plants.db'),
  staticTokens({ s3cret: 'alice' }),
)

const app = await NestFactory.create(AppModule)
app.use('/api', toExpressHandler(store))
await app.listen(process.env.PORT ?? 3000)
