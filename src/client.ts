/**
 * A client for the plant store, for browsers, servers and tests. Ids are exact, lists are read page by page,
 * calls are tried again after failures that may pass, and every failure is a `PlantStoreError` with a `code`.
 *
 * ```ts
 * import { createPlantClient } from 'plant-store/client'
 *
 * const plants = createPlantClient({ baseUrl: 'https://garden.example/api', token: 's3cret' })
 * await plants.create({ id: 9223372036854775807n, name: 'Monstera', tag: 'indoor' })
 * for await (const { name } of plants.list()) console.log(name)
 * await plants.delete(9223372036854775807n)
 * ```
 *
 * @module
 */

import {
  PlantStoreError,
  type PlantStoreErrorCode,
  type PlantStoreErrorOptions,
} from './client/plant-store-error.ts'
import { type Expectation, isPlant, isPlants, linkToNext, readJson } from './client/response.ts'
import { limitRequest, withRetries } from './client/retries.ts'
import type { NewPlant, Plant } from './plant.ts'

export type { ErrorName } from './errors.ts'
export type { NewPlant, Plant } from './plant.ts'
export { PlantStoreError, type PlantStoreErrorCode, type PlantStoreErrorOptions }

/** The options of `createPlantClient`. */
export interface PlantClientOptions {
  /**
   * Where the store is mounted, without user and password. In a browser it may be relative to the page. It must begin
   * with `https:`, except for `localhost`, `127.0.0.0/8` and `[::1]`. Default: `/`, the root of the page's origin. With
   * the option `fetch`, for a store in this process: `http://localhost`.
   */
  baseUrl?: string | URL | undefined
  /**
   * The bearer token, not empty, or a function that returns it. The function is called before every request, and
   * again with the token that a 401 refused. If it then returns another token, the request is repeated
   * with that one. If it throws, the call rejects with the same error. `timeoutMs` doesn't limit it, since a sign-in may take
   * minutes; the `signal` of the call ends the wait.
   *
   * Default: none. A browser sends the cookies of the page's own origin, as `fetch` does. In this process, `store.as(caller)`
   * needs no token.
   */
  token?: string | ((refused?: string) => string | Promise<string>) | undefined
  /**
   * Sends the requests. Pass the `fetch` of a store, or of `store.as(caller)`, to call it in this process. Default: the
   * global `fetch`.
   */
  fetch?: ((request: Request) => Promise<Response>) | undefined
  /**
   * Whether the token may be sent over `http:`, where anyone on the network path can read it. Default: false.
   */
  allowHttp?: boolean | undefined
  /**
   * How often a call is tried again after a network error, a 408, a 429 or a 5xx, from 0 (never) to 10. The client waits for
   * 0.1 to 0.2 s, then twice as long, and so on, in addition to `Retry-After`. If that is more than a minute, the call rejects
   * at once. Default: 2.
   *
   * Sending a create or delete again changes nothing twice. If an earlier try may have been applied, a delete whose
   * plant is missing succeeds. A create whose id then exists rejects with `duplicate_id` and `mayHaveBeenApplied`: the
   * client can't know whether the plant is the one of this call, since responses have no ids.
   */
  retry?: number | undefined
  /**
   * The time limit of each request and its response, in ms, from 1 to 2 147 483 647. Beyond it, the call is tried again or
   * rejects with `network_error`. Default: 40 000, longer than the 30 s after which a store responds with `timeout`.
   */
  timeoutMs?: number | undefined
}

/** The options of every call. */
export interface CallOptions {
  /** Ends the call, which then rejects with the signal's reason. Default: none. */
  signal?: AbortSignal | undefined
}

/** The options of `list`. */
export interface ListOptions extends CallOptions {
  /** The number of plants that each request asks for, and that are in memory at a time. Default: 500. */
  limit?: number | undefined
}

/** The options of `listPage`. */
export interface ListPageOptions extends CallOptions {
  /** The maximum number of plants to return. Default: all. */
  limit?: number | undefined
  /** The `next` of the previous page. It includes the limit, so `limit` is then ignored. Default: none. */
  next?: string | undefined
}

/** One page of the plants. */
export interface PlantPage {
  /** The plants, by ascending id. */
  readonly plants: Plant[]
  /** The URL of the next page; undefined on the last page. */
  readonly next?: string | undefined
}

/**
 * The store's operations. Each call is tried again as the option `retry` says, and rejects with
 *
 * - a `PlantStoreError` when the store responds with an error, when another server responds, when a redirect
 *   or a link leads to another origin, and when the connection fails or is too slow. Its `code` tells which;
 * - the signal's reason when the signal is aborted;
 * - the error that `token` throws, if it is a function;
 * - a `TypeError` when an argument is wrong: an id that is not a bigint, a token that a header can't hold, an
 *   unknown option.
 */
export interface PlantClient {
  /** Creates a plant. Returns it without its id, as the store does. */
  create(plant: NewPlant, options?: CallOptions): Promise<Plant>
  /**
   * Iterates over all plants by ascending id, requesting each page when it is reached, and only that page again if it
   * fails. The iteration throws what the other calls reject with. A page that leads to one that was read before, and an empty
   * page that leads to another, are `unexpected_response`.
   */
  list(options?: ListOptions): AsyncIterable<Plant>
  /** Reads one page of the plants: the first one, or the one at `next`. */
  listPage(options?: ListPageOptions): Promise<PlantPage>
  /** Deletes the plant with this id. */
  delete(id: bigint, options?: CallOptions): Promise<void>
}

/**
 * Creates a client for the store at `baseUrl`. It only needs `fetch`.
 *
 * The token is sent to the origin of `baseUrl` only: redirects are not followed, and the next page must be
 * at the same origin. At most 64 MiB of a response are read.
 *
 * @param options see `PlantClientOptions`
 * @throws TypeError when an option is missing, wrong or unknown; RangeError when `retry` or `timeoutMs` is out of range
 *
 * @example
 * ```ts
 * // In a unit test or a server component: no server, no port.
 * const store = createPlantStore(memoryStorage(), staticTokens({ s3cret: 'alice' }))
 * const plants = createPlantClient({ fetch: store.as({ owner: 'alice' }).fetch })
 * ```
 */
export function createPlantClient({
  fetch,
  baseUrl = fetch ? 'http://localhost' : '/',
  token,
  allowHttp,
  retry = 2,
  timeoutMs = 40_000,
  ...others
}: PlantClientOptions = {}): PlantClient {
  assertNoOthers('createPlantClient', others, 'baseUrl, token, fetch, allowHttp, retry, timeoutMs')
  const tokenFor = typeof token === 'function' ? token : () => token
  if (token !== undefined && tokenFor !== token) assertHeaderToken(token)
  if (!(retry >= 0 && retry <= 10 && timeoutMs >= 1 && timeoutMs < 2 ** 31)) {
    throw new RangeError(`retry is 0 to 10, timeoutMs 1 to 2^31 - 1; got ${retry}, ${timeoutMs}`)
  }
  // A Location is written out as its URL.
  const url = parseUrl(`${baseUrl}`, globalThis.location as any)
  const origin = url?.match(ORIGIN)?.[0]
  if (!origin || (allowHttp !== true && !SECURE.test(origin))) {
    // The part before an @ may be a password.
    const got = `${baseUrl}`.replace(/.*@/s, '')
    throw new TypeError(
      `baseUrl must be an absolute https: URL without user, or set allowHttp; got ${got}`,
    )
  }
  const plantsUrl = url!.replace(/\/*([?#].*)?$/, '/plants')

  /** Resolves a URL, and throws unless it is of the origin that the token may be sent to. */
  function assertSameOrigin(reference: string, base: string): string {
    const href = parseUrl(reference, base)
    if (href?.startsWith(origin!)) return href
    throw refusal(reference, 'redirect_refused')
  }

  async function listPage({ limit, next, signal, ...others }: ListPageOptions = {}) {
    assertNoOthers('listPage', others, 'limit, next, signal')
    const url = assertSameOrigin(next ?? (limit == null ? '' : `?limit=${limit}`), plantsUrl)
    const response = await send('GET', url, { signal }, isPlants)
    return { plants: response.json, next: response.next }
  }

  /**
   * Sends a request, again if that may help, and once more if a 401 leads to another token. Resolves to the JSON and the
   * URL of the next page.
   */
  async function send(
    method: string,
    url: string,
    { signal, ...others }: CallOptions = {},
    isExpected?: Expectation,
    body?: string,
  ) {
    assertNoOthers('The call', others, 'signal')
    async function attempt(bearer: string | undefined, signal: AbortSignal) {
      // SvelteKit and Astro refuse a DELETE without a media type, as a form post from another site.
      const headers: Record<string, string> = { 'content-type': 'application/json' }
      if (token !== undefined) headers.authorization = `Bearer ${assertHeaderToken(bearer)}`
      // Following a redirect would forward the plant, and on some runtimes the token.
      const request = new Request(url, {
        method,
        headers,
        body,
        redirect: 'manual',
        signal,
        // Next.js 14 caches lists otherwise. Where Request has no such property, workerd would throw.
        ...('cache' in Request.prototype && { cache: 'no-store' }),
      })
      let response: Response
      try {
        response = await (fetch ?? globalThis.fetch)(request)
      } catch (cause) {
        throw new PlantStoreError(`Network error at ${origin}`, { code: 'network_error', cause })
      }
      // A Response created in this process has no URL. A custom `fetch` may have followed a redirect.
      const from = assertSameOrigin(response.url, url)
      const json = await readJson(response, origin!, isExpected)
      const link = linkToNext(response)
      return { json, next: link && assertSameOrigin(link, from) }
    }
    return withRetries(method, retry, signal, async (signal) => {
      const attemptWith = (bearer: string | undefined) =>
        limitRequest(timeoutMs, origin!, signal, (own) => attempt(bearer, own))
      const bearer = await tokenFor()
      return attemptWith(bearer).catch(async (error) => {
        const another = error.status === 401 ? await tokenFor(bearer) : bearer
        if (another === bearer) throw error
        return attemptWith(another)
      })
    })
  }

  return {
    listPage,
    async create({ id, name, tag }, options) {
      // JSON.stringify doesn't support bigint, and a number would not be exact.
      const body = JSON.stringify({ id: 0, name, tag }).replace('0', checked(id))
      return (await send('POST', plantsUrl, options, isPlant, body)).json
    },
    async *list({ limit = 500, ...options } = {}) {
      const seen = new Set<string | undefined>()
      let next: string | undefined
      do {
        const page = await listPage({ ...options, limit, next })
        // The store sends no link after an empty page. A cache that ignores the query sends the link of another page.
        if (page.next && (!page.plants[0] || seen.has(page.next))) {
          throw refusal(page.next, 'unexpected_response')
        }
        next = page.next
        seen.add(next)
        yield* page.plants
      } while (next)
    },
    async delete(id, options) {
      await send('DELETE', `${plantsUrl}/${checked(id)}`, options)
    },
  }
}

/** Excludes a user and password, which a Request's URL must not have. */
const ORIGIN = /^https?:\/\/[^/@]*\//
const SECURE = /^https:|\/(localhost|127(\.\d+){3}|\[::1])[:/]/

/** Throws if an option is left after the known ones were taken. It is probably misspelt. */
function assertNoOthers(callee: string, others: object, known: string): void {
  for (const name in others) {
    throw new TypeError(`${callee} has no option ${name}; the options are ${known}`)
  }
}

function refusal(reference: string, code: PlantStoreErrorCode): PlantStoreError {
  return new PlantStoreError(`Refused to follow ${reference}`, { code })
}

/** Like URL.parse(), which Safari 17 and Chrome 125 don't have. */
function parseUrl(url: string, base: string): string | undefined {
  try {
    return new URL(url, base).href
  } catch {
    return undefined
  }
}

/** Checks the token here, because the platform's own error would repeat it. */
function assertHeaderToken(token: unknown): unknown {
  // RFC 9110, section 5.5.
  if (typeof token === 'string' && /^(?!bearer )[\t -~\x80-\xff]+$/i.test(token)) return token
  throw new TypeError(`token must be header text without "Bearer "; got ${typeof token}`)
}

/** Checks an id. Typed as `any`, since both callers put it into text as its digits. */
function checked(id: bigint): any {
  if (typeof id !== 'bigint') {
    throw new TypeError(`id must be a bigint; got ${typeof id} ${id}`)
  }
  return id
}
