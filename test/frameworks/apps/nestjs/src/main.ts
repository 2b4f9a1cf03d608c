// On Express, or on Fastify: main.js fastify
import 'reflect-metadata'
import { Controller, Get, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { toExpressHandler } from 'plant-store/express'
import { toFastifyPlugin } from 'plant-store/fastify'
import { sqliteStorage } from 'plant-store/storage/sqlite'

const store = createPlantStore(sqliteStorage('app.db'), staticTokens({ s3cret: 'alice' }))

@Controller()
class AppController {
  @Get()
  getHello() {
    return 'The garden'
  }
}

@Module({ controllers: [AppController] })
class AppModule {}

if (process.argv[2] === 'fastify') {
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter())
  await app.register(toFastifyPlugin(store), { prefix: '/api' })
  await app.listen(process.env.PORT!)
} else {
  const app = await NestFactory.create(AppModule)
  app.use('/api', toExpressHandler(store))
  await app.listen(process.env.PORT!)
}
