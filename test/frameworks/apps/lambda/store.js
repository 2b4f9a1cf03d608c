import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { memoryStorage } from 'plant-store/storage/memory'

export const store = createPlantStore(memoryStorage(), staticTokens({ s3cret: 'alice' }), {
  basePath: '/api',
})
