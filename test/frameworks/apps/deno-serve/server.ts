import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { sqliteStorage } from 'plant-store/storage/sqlite'

const store = createPlantStore(sqliteStorage('data/plants.db'), staticTokens({ s3cret: 'alice' }))

export default { fetch: store.fetch }
