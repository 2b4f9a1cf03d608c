import express from 'express'
import { toExpressHandler } from '../../../adapters/express.ts'
import { listen } from '../../shared/listen.ts'
import { store } from '../store.ts'

const app = express()
app.use(toExpressHandler(store))
console.log((await listen(app)).url)
