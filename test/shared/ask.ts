import type { AuthVerifier } from '../../src/auth-verifier.ts'
import { createPlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

/** Makes a store with this verifier, and a function that says what status a request gets from it. */
export function askWith(verify: AuthVerifier) {
  const store = createPlantStore(memoryStorage(), verify, { onError() {} })
  return async (token: string, headers: Record<string, string> = {}, method = 'GET') => {
    const request = new Request('https://api.example/plants', {
      method,
      headers: { ...headers, authorization: `Bearer ${token}` },
    })
    return (await store.fetch(request)).status
  }
}
