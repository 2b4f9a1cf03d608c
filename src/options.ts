import {
  assertCallCount,
  assertFunction,
  assertOptions,
  assertWholeNumber,
  MAX_INT32,
  quotedOrKind,
} from './lib/arguments.ts'
import type { OnError, OnResponse } from './request-context.ts'

/** The origins whose web pages may call the store from a browser. */
export interface CorsOptions {
  /** `*` for every origin, or the origins themselves, for example `https://garden.example`. */
  origin: '*' | string | readonly string[]
}

/** The options of `createPlantStore`. */
export interface PlantStoreOptions {
  /** The path in front of the store's own paths, for example `/api/v1`. Default: none. */
  basePath?: string | undefined
  /**
   * The maximum size of a request body, in bytes. A larger body is 413. Each connection can hold up to twice this in
   * memory. The store reads pages of at most 8 MiB / `maxBodyBytes` plants (2 MiB in Workers), and at most 512.
   * Default: 16 384 (16 KiB).
   */
  maxBodyBytes?: number | undefined
  /**
   * The maximum number of plants in one response. `limit` is capped to it, and a list without `limit` is
   * paginated. Default: none.
   */
  maxLimit?: number | undefined
  /**
   * The time limit of each call of the verifier and of the storage, in ms, including its wait in the queue. When it is
   * exceeded, the client gets 503 `timeout`. Default: 30 000.
   */
  timeoutMs?: number | undefined
  /**
   * The maximum number of calls of each method of the storage that are in progress at once. Further calls wait, owners
   * in turn, and are refused with 503 `overloaded` when they wait for too long; see `withOverloadProtection`.
   * `Infinity` turns this off. Default: what the storage declares. It has no effect in Cloudflare Workers, where a
   * request can't wait for another.
   */
  maxConcurrentCalls?: number | undefined
  /** Allows cross-origin requests of browsers. Default: no CORS headers. */
  cors?: CorsOptions | undefined
  /**
   * Called once for each 5xx, and for each list that fails midway, with the underlying error, which the
   * client doesn't see. Also for a call that fails after its 503 `timeout`. Default: logs stacks and codes to
   * `console.error`, with the token redacted, and at most 100 errors in one second.
   *
   * Reasons for which tokens are refused are logged to `console.warn`, each once a minute, unless you pass both hooks.
   */
  onError?: OnError | undefined
  /**
   * Called once per request, when the response body has been sent, was aborted by the client, or failed:
   * for logs, metrics and traces. Default: none.
   */
  onResponse?: OnResponse | undefined
}

/** The options with their defaults. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>

const KNOWN_OPTIONS = [
  'basePath',
  'maxBodyBytes',
  'maxLimit',
  'timeoutMs',
  'maxConcurrentCalls',
  'cors',
  'onError',
  'onResponse',
]

/** Fills in the defaults. Throws a TypeError or RangeError that names the wrong option. */
export function resolveOptions(options: PlantStoreOptions) {
  assertOptions('createPlantStore', options, KNOWN_OPTIONS)
  const { basePath = '', maxBodyBytes = 16_384, timeoutMs = 30_000 } = options
  const { maxLimit, maxConcurrentCalls, cors, onError, onResponse } = options
  assertWholeNumber('maxBodyBytes', maxBodyBytes, 1, Number.MAX_SAFE_INTEGER)
  if (maxLimit !== undefined) assertWholeNumber('maxLimit', maxLimit, 1, MAX_INT32)
  // Above that, setTimeout fires at once.
  assertWholeNumber('timeoutMs', timeoutMs, 1, MAX_INT32)
  if (maxConcurrentCalls !== undefined) assertCallCount('maxConcurrentCalls', maxConcurrentCalls)
  if (cors !== undefined) assertCors(cors)
  if (onError !== undefined) assertFunction('onError must be a function', onError)
  if (onResponse !== undefined) assertFunction('onResponse must be a function', onResponse)
  return { ...options, basePath: normalizePath(basePath), maxBodyBytes, timeoutMs }
}

function assertCors(cors: CorsOptions): void {
  assertOptions('cors', cors, ['origin'])
  const { origin } = cors
  const origins = [origin].flat()
  if (origin === '*' || (origins.length > 0 && origins.every(isOrigin))) return
  const wrong = origins.find((each) => !isOrigin(each))
  const got = origins.length === 0 ? 'an empty array' : quotedOrKind(wrong)
  throw new TypeError(
    `cors.origin must be '*' or origins such as 'https://garden.example', without a path or a slash at the end; got ${got}`,
  )
}

/**
 * Whether a browser could send this as its Origin header: no path, not even a slash. Apps and extensions have origins
 * with other schemes, for example `capacitor://localhost`, for which a URL has the origin `null`.
 */
function isOrigin(text: unknown): boolean {
  // `https://*.garden.example` is a valid URL, but no pattern here.
  if (typeof text !== 'string' || text.includes('*') || !URL.canParse(text)) return false
  const { protocol, host, origin } = new URL(text)
  return text === (origin === 'null' && host !== '' ? `${protocol}//${host}` : origin)
}

/** Returns the path as a URL holds it, without a slash at the end. */
function normalizePath(basePath: string): string {
  if (basePath === '') return ''
  if (!/^\/[^?#*:]*$/.test(basePath)) {
    throw new TypeError(
      `basePath must be a path such as '/api/v1', without wildcards, parameters and query; got ${quotedOrKind(basePath)}`,
    )
  }
  return new URL(`http://localhost${basePath}`).pathname.replace(/\/+$/, '')
}
