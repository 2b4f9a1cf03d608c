import type { AuthVerifier, Caller } from '../../auth-verifier.ts'
import { StorageUnavailableError } from '../../errors.ts'
import type { IncomingRequest } from '../../incoming-request.ts'
import type { StoredPlant } from '../../plant.ts'
import type { PageQuery, PlantStorage } from '../../plant-storage.ts'
import { createPlantStore, type PlantStore } from '../../plant-store.ts'
import type { ResponseOutcome } from '../../request-context.ts'
import { memoryStorage } from '../../storage/memory.ts'
import { sleep } from '../waiting.ts'

/** The time limit of the store for its verifier and its storage. */
const TIMEOUT_MS = 500
/** The `maxBodyBytes` of the store. */
export const MAX_BODY_BYTES = 65_536

/** The number of plants of owners of the kind `long`, each of about 1 kB: far more than sockets can buffer. */
export const LONG_LIST_LENGTH = 65_536
/** The number of plants of owners of the kinds `medium` and `slow`. */
export const MEDIUM_LIST_LENGTH = 3000
/** The number of plants in a list of `breakingLate` before it fails. */
const LATE = 2000
/** The rest of the name of such a plant, behind its number: longer in bytes than in characters. */
export const PLANT_NAME = 'Monstera délicieuse 🌵 '.repeat(50)

/** The header that makes the app's wrapper of the store fail: `throw` or `reject`. */
export const WRAPPER_HEADER = 'x-test-wrapper'

/** The header that names the caller whom the app has authenticated. */
export const CALLER_HEADER = 'x-test-caller'

/** The header that the token `mirror` shows. */
export const MIRRORED_HEADER = 'x-test-mirrored'

/** The traces of an owner's requests in the store. */
export interface Report {
  /** The number of pages of the owner's plants that the storage was asked for. */
  readonly reads: number
  /** The outcomes of the owner's requests, as `onResponse` got them. */
  readonly outcomes: readonly ResponseOutcome[]
}

/** The options of `createAdapterTestStore`. */
export interface AdapterTestStoreOptions {
  /** The mount path, for hosts that leave it on the URL. Default: none. */
  readonly basePath?: string | undefined
}

/**
 * Creates the store that `testPlantAdapter` expects behind your host. You need it only if your host runs in
 * another process than the tests: create it there. Otherwise your `start` function gets it.
 *
 * Its tokens, plants and failures are those that the tests use; it keeps everything in memory.
 *
 * @example
 * ```ts
 * // server.ts, which the start function of the tests spawns
 * startMyHost(createAdapterTestStore(), { port: 8080 })
 * ```
 */
export function createAdapterTestStore({ basePath }: AdapterTestStoreOptions = {}): PlantStore {
  const seen = new Map<string, { reads: number; outcomes: ResponseOutcome[] }>()
  const reportOf = (owner: string) => {
    const report = seen.get(owner) ?? { reads: 0, outcomes: [] }
    seen.set(owner, report)
    return report
  }
  const storage = memoryStorage()
  const store = createPlantStore(
    {
      create: (owner, plant) => failures[prefixOf(owner)]?.() ?? storage.create(owner, plant),
      delete: (owner, id) => failures[prefixOf(owner)]?.() ?? storage.delete(owner, id),
      list(owner, page) {
        const kind = prefixOf(owner)
        if (kind === 'report') return [{ id: 0n, name: JSON.stringify(reportOf(owner.slice(7))) }]
        reportOf(owner).reads++
        return failures[kind]?.() ?? (lists[kind] ?? storage.list)(owner, page)
      },
    },
    verify,
    {
      basePath,
      timeoutMs: TIMEOUT_MS,
      maxBodyBytes: MAX_BODY_BYTES,
      onError() {},
      onResponse({ owner, outcome }) {
        reportOf(String(owner)).outcomes.push(outcome)
      },
    },
  )
  return inApp(store)
}

/**
 * `owner-NAME` opens NAME's plants; `reader-NAME` and `writer-NAME` with one scope only; `only-METHOD` is for requests
 * with that method.
 */
const verify: AuthVerifier = (token, { request }) => {
  if (token === 'broken') throw new Error('The identity provider is down')
  if (token === 'silent') return new Promise(() => {})
  if (token === 'mirror') return { owner: `mirror-${describeReceived(request)}` }
  if (token === `only-${request.method}`) return { owner: token }
  const kind = prefixOf(token)
  const grant = grants[kind]
  return grant ? { ...grant, owner: token.slice(kind.length + 1) } : null
}

const grants: Record<string, Pick<Caller, 'scopes'> | undefined> = {
  owner: {},
  reader: { scopes: ['plants:read'] },
  writer: { scopes: ['plants:write'] },
}

/** The request as the verifier sees it, for the token `mirror`. */
function describeReceived({ method, url, headers, body }: Request): string {
  const { host, pathname, search } = new URL(url)
  // AWS Lambda joins repeated fields without a space.
  const field = headers.get(MIRRORED_HEADER)?.replace(/, */g, ', ')
  const authorization = headers.get('authorization')
  return JSON.stringify({ method, url: host + pathname + search, authorization, field, body })
}

/** An owner's name begins with what happens to their plants, for example `long-7`, and a token with what it grants. */
function prefixOf(name: string): string {
  return name.slice(0, name.indexOf('-'))
}

const failures: Record<string, (() => Promise<never>) | undefined> = {
  async unavailable() {
    throw new StorageUnavailableError('The database is down')
  },
  async buggy() {
    throw new Error('relation "plants" does not exist')
  },
  hanging: () => new Promise(() => {}),
}

const lists: Record<string, PlantStorage['list'] | undefined> = {
  // The answer is a list of one plant, whose name is what the verifier saw.
  mirror: (owner) => [{ id: 0n, name: owner.slice('mirror-'.length) }],
  long: (_owner, page) => numberedPlants(page),
  medium: (_owner, page) => numberedPlants(page, MEDIUM_LIST_LENGTH),
  async slow(_owner, page) {
    await sleep(40)
    return numberedPlants(page, MEDIUM_LIST_LENGTH)
  },
  async late() {
    await sleep(100)
    return [{ id: 1n, name: 'late' }]
  },
  breaking: breakingAfter(1),
  breakingLate: breakingAfter(LATE),
}

/** Lists so many plants, and fails then. */
function breakingAfter(length: number): PlantStorage['list'] {
  return async (_owner, page) => {
    if (Number(page.after ?? 0n) < length) return numberedPlants(page)
    throw new Error('The disk is gone')
  }
}

function numberedPlants(
  { after = 0n, limit }: PageQuery,
  length = LONG_LIST_LENGTH,
): StoredPlant[] {
  const first = Number(after) + 1
  return Array.from({ length: Math.min(limit, length + 1 - first) }, (_, index) => {
    const id = BigInt(first + index)
    return { id, name: `${id} ${PLANT_NAME}` }
  })
}

/** Wraps the store as an app does: it knows the callers whom a request names, and fails where a request asks for it. */
function inApp(store: PlantStore): PlantStore {
  function storeFor({ headers }: Request | IncomingRequest): Pick<PlantStore, 'fetch' | 'handle'> {
    const failure = headers.get(WRAPPER_HEADER)
    const error = new Error('The app’s wrapper of the store fails, since the test asks for it')
    const reject = () => Promise.reject(error)
    if (failure === 'throw') throw error
    if (failure === 'reject') return { fetch: reject, handle: reject }
    const owner = headers.get(CALLER_HEADER)
    return owner === null ? store : store.as({ owner })
  }
  return {
    ...store,
    fetch: (request) => storeFor(request).fetch(request),
    handle: (request) => storeFor(request).handle(request),
  }
}
