import { type AuthVerifier, createPlantStore } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'

const storage = memoryStorage()
const verify: AuthVerifier = (token) => (token === 's3cret' ? { owner: 'alice' } : null)

/** For hosts that leave the URL as it is. */
export const store = createPlantStore(storage, verify, { basePath: '/api' })

/** For hosts that take the mount path off. */
export const mountedStore = createPlantStore(storage, verify)
