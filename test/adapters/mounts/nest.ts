import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { toExpressHandler } from '../../../adapters/express.ts'
import { mountedStore as store } from './store.ts'

class AppModule {}
Module({})(AppModule)

export const app = await NestFactory.create(AppModule, { logger: false })
app.use('/api', toExpressHandler(store))
