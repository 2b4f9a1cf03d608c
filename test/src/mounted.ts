import {
  type AuthVerifier,
  createPlantStore,
  type PlantStorage,
  type PlantStoreOptions,
} from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { checkAgainstDocument } from './openapi/conformance.ts'

/** Knows one token, `a`, of one owner. */
export const aliceOnly: AuthVerifier = (token) => (token === 'a' ? { owner: 'alice' } : null)

/** A request with the token `a`. */
export function request(path: string, init: RequestInit = {}): Request {
  return new Request(`http://localhost${path}`, {
    ...init,
    headers: { authorization: 'Bearer a', 'content-type': 'application/json', ...init.headers },
  })
}

/** A store whose `fetch` checks each response against the OpenAPI document. */
export function mounted(
  options: PlantStoreOptions,
  storage: PlantStorage = memoryStorage(),
  verify = aliceOnly,
) {
  const store = createPlantStore(storage, verify, options)
  const basePath = options.basePath?.replace(/\/+$/, '')
  const fetch = async (request: Request) =>
    checkAgainstDocument(request, await store.fetch(request), basePath)
  return { ...store, fetch }
}
