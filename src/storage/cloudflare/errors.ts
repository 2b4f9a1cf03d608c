import { StorageUnavailableError } from '../../plant-storage.ts'

// D1 runs in a Durable Object, and where no property tells, the messages of both do:
// https://developers.cloudflare.com/d1/observability/debug-d1/#error-list
// https://developers.cloudflare.com/durable-objects/observability/troubleshooting/
const OUT_OF_REACH = [
  'network connection lost',
  'connection closed',
  'client disconnected',
  'transient issue',
  'internal error',
  'overloaded',
  'back off and try again',
  'object to be reset',
  'was reset',
  'reset because',
  'code has been updated',
  'maximum DB size',
  'SQLITE_FULL',
]
const outOfReach = new RegExp(OUT_OF_REACH.join('|'), 'i')

/** Waits for a Cloudflare service, and tells by the error that it throws whether it is out of reach. */
export async function reach<T>(call: PromiseLike<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw isOutOfReach(error) ? new StorageUnavailableError(error.message, { cause: error }) : error
  }
}

function isOutOfReach(error: any): error is Error {
  // https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
  const { retryable, overloaded, durableObjectReset, message } = error ?? {}
  return Boolean(retryable || overloaded || durableObjectReset) || outOfReach.test(message)
}
