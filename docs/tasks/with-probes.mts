import { createPlantStore, type PlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { serve } from 'plant-store/node'
import { sqliteStorage } from 'plant-store/storage/sqlite'

const storage = sqliteStorage('plants.db')
const store = createPlantStore(storage, staticTokens({ s3cret: 'alice' }))
const probe = (status: number) => ({ status, headers: {}, body: null })
let isStopping = false
process.once('SIGTERM', () => {
  isStopping = true
})

async function readiness() {
  try {
    await storage.list('readyz', { limit: 1 })
    return probe(isStopping ? 503 : 200)
  } catch {
    return probe(503)
  }
}

const wrapped: PlantStore = {
  ...store,
  async handle(request) {
    const path = request.url.replace(/^https?:\/\/[^/]+/, '') // Bun's and Deno's are absolute
    if (path === '/livez') return probe(200)
    if (path === '/readyz') return readiness()
    return store.handle(request)
  },
}
const { HOST = '127.0.0.1', DRAIN_MS = '0' } = process.env
const { url } = await serve(wrapped, { port: 3000, hostname: HOST, drainDelayMs: Number(DRAIN_MS) })
console.log(`${url}/plants`)
