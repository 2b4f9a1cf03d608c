import type { CorsOptions } from './http/cors.ts'
import { printError } from './http/print-error.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** The options of `createPlantStore`. */
export interface PlantStoreOptions {
  /** The path that the store's paths begin with, such as `/api/v1`. Default: none. */
  basePath?: string
  /** The greatest size of a request body, in bytes; more is 413. Default: 1 MiB. */
  maxBodyBytes?: number
  /**
   * The most plants that one list answers with, whatever `limit` asks for; with it, a list without
   * `limit` has pages too. Default: no such limit.
   */
  maxLimit?: number
  /** How long each call of the verifier and the storage may take, in ms; longer is 503. Default: 30 000. */
  timeoutMs?: number
  /** Lets web pages of other origins in. Default: no CORS headers. */
  cors?: CorsOptions
  /**
   * Told once of each failure that is the server's (5xx, and a list that breaks off), with its real
   * cause, which the client is not told. Default: prints its stacks to `console.error`, without the
   * request's token.
   */
  onError?: (error: unknown, request: Request) => MaybePromise<void>
}

const MAX_INT32 = 2 ** 31 - 1

/** Fills in the defaults, or throws a TypeError or RangeError that names the option that is wrong. */
export function resolveOptions({
  basePath = '',
  maxBodyBytes = 1024 * 1024,
  maxLimit,
  timeoutMs = 30_000,
  cors,
  onError = printError,
}: PlantStoreOptions) {
  if (maxLimit !== undefined) assertWholeNumber('maxLimit', maxLimit, MAX_INT32)
  assertWholeNumber('maxBodyBytes', maxBodyBytes, Number.MAX_SAFE_INTEGER)
  // Beyond int32, setTimeout would fire at once.
  assertWholeNumber('timeoutMs', timeoutMs, MAX_INT32)
  if (cors && cors.origin !== '*' && ![cors.origin].flat().every(isOrigin)) {
    throw new TypeError("cors.origin must be '*', or origins such as https://garden.example")
  }
  if (typeof onError !== 'function') throw new TypeError('onError must be a function')
  return { basePath: normalizePath(basePath), maxBodyBytes, maxLimit, timeoutMs, cors, onError }
}

/** Whether a browser could send this as its Origin: without a path, not even a slash. */
function isOrigin(text: unknown): boolean {
  return typeof text === 'string' && URL.canParse(text) && new URL(text).origin === text
}

function assertWholeNumber(name: string, value: number, max: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= max) return
  throw new RangeError(`${name} must be a whole number from 1 to ${max}, not ${value}`)
}

/** Writes the path as it will stand in a request's URL, without a slash at its end. */
function normalizePath(basePath: string): string {
  if (basePath === '') return ''
  if (!/^\/[^?#]*$/.test(basePath)) {
    throw new TypeError(`basePath must begin with / and have no query, unlike ${basePath}`)
  }
  return new URL(`http://localhost${basePath}`).pathname.replace(/\/+$/, '')
}
