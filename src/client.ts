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

import { assertNoUnknownOptions } from './client/assert-no-unknown-options.ts'
import { ERROR_NAMES } from './client/error-names.ts'
import { limitRequest } from './client/limit-request.ts'
import { nextLink } from './client/next-link.ts'
import { parseUrl } from './client/parse-url.ts'
import {
  PlantStoreError,
  type PlantStoreErrorCode,
  type PlantStoreErrorOptions,
} from './client/plant-store-error.ts'
import { readText } from './client/read-text.ts'
import { retryAfter } from './client/retry-after.ts'
import { withRetries } from './client/with-retries.ts'
import type { MaybePromise } from './lib/promises.ts'
import type { NewPlant, Plant } from './plant.ts'

export { PlantStoreError, type PlantStoreErrorCode, type PlantStoreErrorOptions }

/** The options of `createPlantClient`. */
export interface PlantClientOptions {
  /**
   * Where the store is mounted, without user and password. In a browser it may be relative to the page.
   * It must begin with `https:`, except for `localhost`, `127.0.0.0/8` and `[::1]`.
   */
  baseUrl: string | URL
  /**
   * The bearer token, not empty, or a function that returns it. The function is called before every request, and
   * again with the token that a 401 refused. If it then returns another token, the request is repeated
   * with that one. If it throws, the call rejects with the same error. `timeoutMs` doesn't limit it, since a sign-in may take
   * minutes; the `signal` of the call ends the wait.
   */
  token: string | ((refused?: string) => MaybePromise<string>)
  /** Sends the requests. Pass the `fetch` of a store to call it in this process. Default: the global one. */
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
   * Sending a create or delete again changes nothing twice. If an earlier try may have been applied, a delete whose plant is
   * missing succeeds. A create whose id exists then is a `duplicate_id` with `mayHaveBeenApplied`: the client can't know
   * whether the plant is the one of this call, since responses have no ids.
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
  /** The `next` of the previous page. It includes the limit: `limit` is ignored beside it. Default: none. */
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
   * fails. The iteration throws what the other calls reject with. A page that leads to itself, and an empty page that leads to
   * another, are `unexpected_response`.
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
 * // In a unit test: no server, no port.
 * const store = createPlantStore(memoryStorage(), staticTokens({ s3cret: 'alice' }))
 * const plants = createPlantClient({
 *   baseUrl: 'http://localhost',
 *   token: 's3cret',
 *   fetch: store.fetch,
 * })
 * ```
 */
export function createPlantClient(options: PlantClientOptions): PlantClient
// JavaScript callers may omit the options. The default makes that a TypeError about the token.
export function createPlantClient(
  {
    baseUrl,
    token,
    fetch = (request) => globalThis.fetch(request),
    allowHttp,
    retry = 2,
    timeoutMs = 40_000,
    ...unknown
  }: PlantClientOptions = {} as PlantClientOptions,
): PlantClient {
  const isFixed = typeof token !== 'function'
  if (typeof fetch !== 'function')
    throw new TypeError(`fetch must be a function; got ${typeof fetch}`)
  if (isFixed) assertHeaderToken(token)
  assertBetween('retry', retry, 0, 10)
  assertBetween('timeoutMs', timeoutMs, 1, 2 ** 31 - 1)
  // After the token, since a string in place of the options has options 0, 1, 2, …
  assertNoUnknownOptions(unknown)
  // A Location is written out as its URL.
  const url = parseUrl(baseUrl, globalThis.location as any)
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
    throw new PlantStoreError(`Refused to follow ${reference}`, { code: 'redirect_refused' })
  }

  async function listPage({ limit, next, ...options }: ListPageOptions = {}): Promise<PlantPage> {
    const url = assertSameOrigin(next ?? (limit == null ? '' : `?limit=${limit}`), plantsUrl)
    const response = await send('GET', url, options, isPlants)
    return { plants: response.json, next: response.next }
  }

  /**
   * Sends a request, again if that may help, and once more if a 401 leads to another token. Resolves to the JSON and the
   * URL of the next page.
   */
  function send(
    method: string,
    url: string,
    options: CallOptions = {},
    isExpected?: Expectation,
    body?: string,
  ) {
    async function attempt(bearer: string, signal: AbortSignal) {
      assertHeaderToken(bearer)
      // SvelteKit and Astro refuse a DELETE without a media type, as a form post from another site.
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${bearer}` }
      // Following a redirect would forward the plant, and on some runtimes the token.
      const request = new Request(url, { method, headers, body, redirect: 'manual', signal })
      let response: Response
      try {
        response = await fetch(request)
      } catch (cause) {
        throw new PlantStoreError('Network error', { code: 'network_error', cause })
      }
      // A Response created in this process has no URL. A custom `fetch` may have followed a redirect.
      const from = assertSameOrigin(response.url, url)
      const json = await readJson(response, isExpected)
      const link = nextLink(`${response.headers.get('link')}`)
      return { json, next: link && assertSameOrigin(link, from) }
    }
    return withRetries(method, { ...options, retry }, async (signal) => {
      const attemptWith = (bearer: string) =>
        limitRequest(timeoutMs, signal, (own) => attempt(bearer, own))
      const bearer = isFixed ? token : await token()
      return attemptWith(bearer).catch(async (error) => {
        const another = isFixed || error.status !== 401 ? bearer : await token(bearer)
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
      let next: string | undefined
      do {
        const page = await listPage({ ...options, limit, next })
        // The store sends no link after an empty page. A cache that ignores the query sends a page's own link.
        if (page.next && (!page.plants[0] || page.next === next)) {
          throw new PlantStoreError(`Refused to follow ${page.next}`, {
            code: 'unexpected_response',
          })
        }
        next = page.next
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

function assertBetween(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return
  throw new RangeError(`${name} must be ${min} to ${max}; got ${value}`)
}

/** Checks the token here, because the platform's own error would repeat it. */
function assertHeaderToken(token: unknown): void {
  // RFC 9110, section 5.5.
  if (typeof token !== 'string' || !/^[\t -~\x80-\xff]+$/.test(token)) {
    throw new TypeError(
      `token must be non-empty header text; got ${token ? typeof token : JSON.stringify(token)}`,
    )
  }
  if (/^bearer /i.test(token)) throw new TypeError('token must be without "Bearer "')
}

/** Checks an id. Typed as `any`, since both callers put it into text as its digits. */
function checked(id: bigint): any {
  if (typeof id !== 'bigint') {
    throw new TypeError(`id must be a bigint; got ${typeof id} ${id}`)
  }
  return id
}

/** Whether this is the expected JSON of a 200. A call without an expectation expects a 204. */
type Expectation = (json: any) => boolean

const isPlant: Expectation = (json) => typeof json?.name === 'string'
const isPlants: Expectation = (json) => json?.every?.(isPlant)

/** Returns the expected JSON, or throws the PlantStoreError for the response. */
async function readJson(response: Response, isExpected?: Expectation): Promise<any> {
  const { status, ok } = response
  if (!isExpected && status === 204) return
  // The error to throw if the next step fails.
  let message = 'Network error'
  let code: PlantStoreErrorCode = 'network_error'
  let cause: unknown
  let error: any
  try {
    const text = await readText(response)
    // Browsers show a redirect as a response of status 0.
    code = ok || status > 399 ? 'unexpected_response' : 'redirect_refused'
    message = `Got a ${status || 'redirect'} that did not come from the plant store, but from a proxy or framework`
    const json = JSON.parse(text)
    if (ok && isExpected?.(json)) return json
    if (typeof json?.error === 'number') {
      // First, since this throws for a message that can't be converted to text.
      message = `${json.message ?? message}`
      error = json.error
      code = ERROR_NAMES[error] ?? code
    }
  } catch (caught) {
    cause = caught
    // Too large: it would be so again.
    if (caught instanceof RangeError) code = 'unexpected_response'
  }
  throw new PlantStoreError(message, {
    code,
    status,
    error,
    retryAfterSeconds: retryAfter(response.headers.get('retry-after')),
    cause,
  })
}
