import { createAdapterTestStore } from '../../../src/testing.ts'

/** For hosts that pass the full URL. */
export const store = createAdapterTestStore({ basePath: '/api' })

/** For hosts that strip the mount path. */
export const mountedStore = createAdapterTestStore()
