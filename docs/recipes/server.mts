import express from 'express'
import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { toExpressHandler } from 'plant-store/express'
import { memoryStorage } from 'plant-store/storage/memory'
import { register } from 'prom-client'
import { record } from './metrics.mts'

const store = createPlantStore(memoryStorage(), staticTokens({ s3cret: 'alice' }), {
  onResponse: record,
})
const app = express()
app.get('/metrics', async (_, response) => {
  response.type(register.contentType).send(await register.metrics())
})
app.use('/api', toExpressHandler(store))
app.listen(3000, '127.0.0.1').on('listening', () => console.log('http://127.0.0.1:3000/metrics'))
