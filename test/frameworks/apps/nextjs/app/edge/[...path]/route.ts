import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { memoryStorage } from 'plant-store/storage/memory'

export const runtime = 'edge'

const store = createPlantStore(memoryStorage(), staticTokens({ s3cret: 'alice' }), {
  basePath: '/edge',
})
const handler = (request: Request) => store.fetch(request)

export {
  handler as DELETE,
  handler as GET,
  handler as HEAD,
  handler as OPTIONS,
  handler as PATCH,
  handler as POST,
  handler as PUT,
}
