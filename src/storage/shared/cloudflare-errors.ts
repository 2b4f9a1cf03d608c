import { StorageUnavailableError } from '../../errors.ts'

// D1 runs in a Durable Object. Errors without a property that classifies them are matched by message:
// https://developers.cloudflare.com/d1/observability/debug-d1/#error-list
// https://developers.cloudflare.com/durable-objects/observability/troubleshooting/
const UNAVAILABLE = [
  'connection lost',
  'connection closed',
  'client disconnected',
  'transient issue',
  'internal error',
  'overloaded',
  'back off',
  'to be reset',
  'was reset',
  'reset because',
  'code has been updated',
  'maximum DB size',
  'SQLITE_FULL',
]
const unavailable = new RegExp(UNAVAILABLE.join('|'), 'i')

/** Awaits a call to a Cloudflare service, and maps its errors with `fromCloudflareError`. */
export async function withStorageErrors<T>(call: PromiseLike<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw fromCloudflareError(error)
  }
}

/** Converts an error that means that the service is unavailable to `StorageUnavailableError`. */
export function fromCloudflareError(error: any): unknown {
  return isCloudflareUnavailable(error)
    ? new StorageUnavailableError(error.message, { cause: error })
    : error
}

function isCloudflareUnavailable(error: any): boolean {
  // https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
  const { retryable, overloaded, durableObjectReset, message } = error ?? {}
  return Boolean(retryable || overloaded || durableObjectReset) || unavailable.test(message)
}
