import { type AuthVerifier, createPlantStore } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'

const storage = memoryStorage()
const verify: AuthVerifier = (token) => (token === 's3cret' ? { owner: 'alice' } : null)

/** For hosts that pass the full URL. */
export const store = createPlantStore(storage, verify, { basePath: '/api' })

/** For hosts whose build imports the routes, and so must not open anything. */
export const openedStore = () => store

/** For hosts that strip the mount path. */
export const mountedStore = createPlantStore(storage, verify)
