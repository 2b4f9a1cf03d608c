import express from 'express4'
import { toExpressHandler } from '../../../adapters/express.ts'
import { mountedStore as store } from './store.ts'

export const app = express()
app.use('/api', toExpressHandler(store))
