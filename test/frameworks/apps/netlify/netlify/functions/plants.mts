import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { sqliteStorage } from 'plant-store/storage/sqlite'

// Netlify's local runner has a new worker for each request, so a store in memory would be empty each time.
const storage = sqliteStorage('app.db')
const store = createPlantStore(storage, staticTokens({ s3cret: 'alice' }), { basePath: '/api' })

export default (request: Request) => store.fetch(request)

export const config = { path: '/api/*' }
