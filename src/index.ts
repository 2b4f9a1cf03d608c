/**
 * The plant catalogue: `createPlantStore`, and the types that storages, verifiers and adapters are written
 * with.
 *
 * ```ts
 * import { createPlantStore } from 'plant-store'
 * import { staticTokens } from 'plant-store/auth/tokens'
 * import { sqliteStorage } from 'plant-store/storage/sqlite'
 *
 * const store = createPlantStore(sqliteStorage('plants.db'), staticTokens({ s3cret: 'alice' }))
 * const headers = { authorization: 'Bearer s3cret' }
 * const response = await store.fetch(new Request('http://localhost/plants', { headers }))
 * ```
 *
 * @module
 */

export type { AuthVerifier, Caller, Scope } from './auth-verifier.ts'
export {
  BodyConsumedError,
  type ErrorDefinition,
  type ErrorName,
  errors,
  RateLimitedError,
  type RateLimitedErrorOptions,
  StorageUnavailableError,
} from './errors.ts'
export type { IncomingBody, IncomingRequest } from './incoming-request.ts'
export type { MaybePromise } from './lib/promises.ts'
export type { CorsOptions, PlantStoreOptions } from './options.ts'
export { limitCalls, type OverloadOptions, withOverloadProtection } from './overload.ts'
export { NewPlant, Plant, type StoredPlant } from './plant.ts'
export type { PageQuery, PlantStorage, StorageCall } from './plant-storage.ts'
export {
  createPlantStore,
  type FetchContext,
  type PlantStore,
  type PlantStoreOfCaller,
} from './plant-store.ts'
export type { Reply } from './reply.ts'
export type {
  OnError,
  OnResponse,
  RequestContext,
  ResponseEvent,
  ResponseOutcome,
  RoutePath,
  VerifierContext,
} from './request-context.ts'
