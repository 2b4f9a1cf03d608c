import { Hono } from 'hono'
import { handle } from 'hono/aws-lambda'
import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { memoryStorage } from 'plant-store/storage/memory'

const verify = staticTokens({ s3cret: 'alice' })
const store = createPlantStore(memoryStorage(), verify, { basePath: '/api' })

const app = new Hono()
app.all('/api/plants/*', (c) => store.fetch(c.req.raw))

export const handler = handle(app)
