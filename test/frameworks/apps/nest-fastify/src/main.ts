import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { toFastifyPlugin } from 'plant-store/fastify'
import { sqliteStorage } from 'plant-store/storage/sqlite'
import { AppModule } from './app.module.js'

const store = createPlantStore(
  sqliteStorage(process.env.PLANT_STORE_DB ?? 'plants.db'),
  staticTokens({ s3cret: 'alice' }),
)

const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter())
await app.register(toFastifyPlugin(store), { prefix: '/api' })
await app.listen(process.env.PORT ?? 3000)
