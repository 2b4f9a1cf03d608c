/**
 * A client for the plant store, in browsers, on servers and in tests: ids are exact, lists are
 * followed to their end, and every failure is a `PlantStoreError`.
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
import type { MaybePromise } from './maybe-promise.ts'
import type { NewPlant, Plant } from './plant.ts'

/** The options of `createPlantClient`. */
export interface PlantClientOptions {
  /**
   * Where the store is mounted, without user and password. In a browser it may be relative to the
   * page. Redirects and links are followed within its origin only.
   */
  baseUrl: string | URL
  /**
   * The bearer token, or what gives it: asked before every request, and once more with the token that
   * a 401 `refused`. If another one comes, the request is sent again with that. What this throws, the
   * call rejects with.
   */
  token: string | ((refused?: string) => MaybePromise<string>)
  /** What sends requests, such as the `fetch` of a store in this process. Default: the global one. */
  fetch?: (request: Request) => Promise<Response>
}

/** The options of every call. */
export interface CallOptions {
  /** Ends the call, which then rejects with the signal's reason. */
  signal?: AbortSignal
}

/** The options of `list`. */
export interface ListOptions extends CallOptions {
  /** How many plants each request asks for, and so how many are in memory at a time. Default: 500. */
  limit?: number
}

/** The options of `listPage`. */
export interface ListPageOptions extends CallOptions {
  /** The most plants to answer with. Default: all. */
  limit?: number
  /** The `next` of the page before. Its limit goes on, so `limit` needs no repeating. */
  next?: string
}

/** Some of the plants, and where there are more, if there are. */
export interface PlantPage {
  plants: Plant[]
  /** The URL of the next page; none after the last one. */
  next?: string
}

/**
 * The store's operations. Each rejects with
 *
 * - a `PlantStoreError` when the store answers with a failure, another origin or something that is no
 *   plant store answers, or nobody does;
 * - the signal's reason when that is aborted;
 * - what `token` throws, where it is a function;
 * - a `TypeError` for what can't be sent: an id that is no bigint, a token that is no string or that
 *   no header can hold, a `next` that is no URL.
 */
export interface PlantClient {
  /** Creates a plant, and answers with it as the store does: without its id. */
  create(plant: NewPlant, options?: CallOptions): Promise<Plant>
  /**
   * Goes through all plants by ascending id, asking for the next page when it comes to it. What the
   * other calls reject with, the iteration throws.
   */
  list(options?: ListOptions): AsyncIterable<Plant>
  /** Reads one page of the plants: the first, or the one that `next` leads to. */
  listPage(options?: ListPageOptions): Promise<PlantPage>
  /** Deletes the plant with this id. */
  delete(id: bigint, options?: CallOptions): Promise<void>
}

/**
 * What the client's calls reject with, unless `PlantClient` says otherwise.
 *
 * @example
 * ```ts
 * try {
 *   await plants.delete(7n)
 * } catch (error) {
 *   if (!(error instanceof PlantStoreError && error.error === 40401)) throw error
 * }
 * ```
 */
export class PlantStoreError extends Error {
  override readonly name = 'PlantStoreError'
  /** The value in the store's catalogue of errors, or 0 when the answer was not the store's. */
  readonly error: number
  /** The HTTP status, or 0 when no answer came at all; then `cause` says why. */
  readonly status: number

  constructor(status: number, error: number, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
    this.error = error
  }
}

/**
 * Makes a client of the store at `baseUrl`. It needs nothing but `fetch`.
 *
 * @param options see `PlantClientOptions`
 * @throws TypeError when `baseUrl` is no URL, or has a user or a password
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
export function createPlantClient({
  baseUrl,
  token,
  fetch = (request) => globalThis.fetch(request),
}: PlantClientOptions): PlantClient {
  const plantsUrl = new URL(baseUrl, globalThis.location?.href)
  if (plantsUrl.username || plantsUrl.password) {
    throw new TypeError('baseUrl must have no user and no password')
  }
  plantsUrl.pathname = plantsUrl.pathname.replace(/\/*$/, '/plants')
  plantsUrl.search = plantsUrl.hash = ''

  async function listPage({ limit, next, signal }: ListPageOptions = {}): Promise<PlantPage> {
    const url = new URL(next ?? (limit === undefined ? '' : `?limit=${limit}`), plantsUrl)
    if (url.origin !== plantsUrl.origin) {
      throw new PlantStoreError(0, 0, `The token is not sent to ${url.origin}`)
    }
    const { json, response } = await send('GET', url, isPlants, signal)
    const link = nextLink(response.headers.get('link') ?? '')
    if (link === undefined) return { plants: json }
    // A redirect changes what a link is relative to.
    const nextUrl = URL.parse(link, response.url || url)
    if (!nextUrl) throw new PlantStoreError(response.status, 0, `The link ${link} is no URL`)
    nextUrl.hash = ''
    if (nextUrl.href === url.href) {
      throw new PlantStoreError(response.status, 0, `The page ${url} leads to itself`)
    }
    return { plants: json, next: nextUrl.href }
  }

  async function send(
    method: string,
    url: URL | string,
    isExpected: Expectation,
    signal?: AbortSignal,
    body?: string,
  ) {
    signal?.throwIfAborted()
    return abortable(signal, async () => {
      const response = await authorized(async (bearer) => {
        const headers: Record<string, string> = { authorization: `Bearer ${bearer}` }
        if (body) headers['content-type'] = 'application/json'
        return fetch(new Request(url, { method, headers, body, signal }))
      })
      return { response, json: await readJson(response, isExpected) }
    })
  }

  async function authorized(request: (bearer: string) => Promise<Response>): Promise<Response> {
    const answer = async (bearer: string) => {
      // The platform's own error would repeat the token.
      if (typeof bearer !== 'string' || !HEADER_TEXT.test(bearer)) {
        throw new TypeError('The token is not text that a header can hold')
      }
      const response = await request(bearer).catch((cause) => {
        throw new PlantStoreError(0, 0, 'No answer came', cause)
      })
      // A Response made in this process has no URL.
      const { origin } = new URL(response.url || plantsUrl)
      if (origin === plantsUrl.origin) return response
      discard(response)
      throw new PlantStoreError(response.status, 0, `A redirect led to ${origin}`)
    }
    if (typeof token === 'string') return answer(token)
    const bearer = await token()
    const response = await answer(bearer)
    if (response.status !== 401) return response
    const another = await token(bearer)
    if (another === bearer) return response
    discard(response)
    return answer(another)
  }

  return {
    async create({ id, name, tag }, { signal } = {}) {
      // JSON.stringify knows no bigint, and a number would not be exact.
      const body = JSON.stringify({ id: 0, name, tag }).replace('0', digits(id))
      return (await send('POST', plantsUrl, isPlant, signal, body)).json
    },
    async *list({ limit = 500, signal } = {}) {
      for (let page: PlantPage | undefined = await listPage({ limit, signal }); page; ) {
        yield* page.plants
        page = page.next === undefined ? undefined : await listPage({ next: page.next, signal })
      }
    },
    listPage,
    async delete(id, { signal } = {}) {
      await send('DELETE', `${plantsUrl}/${digits(id)}`, isNoContent, signal)
    },
  }
}

// RFC 9110, section 5.5.
const HEADER_TEXT = /^[\t -~\x80-\xff]*$/

/** An answer that nobody reads would hold its connection. */
function discard(response: Response): void {
  response.body?.cancel().catch(() => {})
}

type Expectation = (json: any, status: number) => boolean

const isPlant: Expectation = (json) => typeof json?.name === 'string'
const isPlants: Expectation = (json) => Array.isArray(json) && json.every(isPlant)
const isNoContent: Expectation = (_, status) => status === 204

function digits(id: bigint): string {
  if (typeof id !== 'bigint') throw new TypeError('An id must be a bigint')
  return `${id}`
}

/** Settles as the work does, or as soon as the signal is aborted, even if nobody else listens to it. */
function abortable<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  if (!signal) return work()
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
    work()
      .then(resolve, (error) => reject(signal.aborted ? signal.reason : error))
      .finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Reads the body, or throws what it says or amounts to: a proxy may answer too, in HTML or broken. */
async function readJson(response: Response, isExpected: Expectation): Promise<any> {
  const { status } = response
  let json: any
  let cause: unknown
  try {
    json = await response.json()
  } catch (error) {
    cause = error
  }
  if (response.ok && isExpected(json, status)) return json
  if (Number.isInteger(json?.error) && typeof json.message === 'string') {
    throw new PlantStoreError(status, json.error, json.message)
  }
  throw new PlantStoreError(status, 0, `An answer ${status} that is not the plant store's`, cause)
}

// RFC 8288, section 3: links, and in each its parameters, of which quoted ones may hold anything.
const LINK = /<([^>]*)>((?:[^",]|"(?:\\.|[^"\\])*")*)/g
const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s;"]*))/g

function nextLink(header: string): string | undefined {
  for (const [, target, parameters = ''] of header.matchAll(LINK)) {
    for (const [, name, quoted, token] of parameters.matchAll(PARAMETER)) {
      const isRel = name!.toLowerCase() === 'rel'
      if (isRel && /(^| )next( |$)/i.test(quoted ?? token!)) return target
    }
  }
  return undefined
}
