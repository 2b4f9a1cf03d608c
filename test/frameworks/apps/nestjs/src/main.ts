// On Fastify. The guide's file runs on Express.
import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { toFastifyPlugin } from 'plant-store/fastify'
import { sqliteStorage } from 'plant-store/storage/sqlite'

const store = createPlantStore(sqliteStorage('app.db'), staticTokens({ s3cret: 'alice' }))

@Module({})
class AppModule {}

const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter())
await app.register(toFastifyPlugin(store), { prefix: '/api' })
await app.listen(process.env.PORT!)
