import { Hono } from 'hono'
import { handle } from 'hono/aws-lambda'
import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { memoryStorage } from 'plant-store/storage/memory'

const store = createPlantStore(memoryStorage(), staticTokens({ s3cret: 'alice' }), {
  basePath: '/api',
})

// Hono makes Requests of the events of API Gateway and of load balancers.
export const handler = handle(new Hono().all('/api/*', (c) => store.fetch(c.req.raw)))
