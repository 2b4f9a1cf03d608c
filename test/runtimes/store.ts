import { createAdapterTestStore } from '../../src/testing.ts'

/** What each of the entries serves. */
export const store = createAdapterTestStore()
