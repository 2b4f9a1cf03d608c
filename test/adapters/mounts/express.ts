import express from 'express'
import { toExpressHandler } from '../../../adapters/express.ts'
import { mountedStore as store } from './store.ts'

export const app = express()
app.use('/api', toExpressHandler(store))
