import { abortable } from './abortable.ts'
import { PlantStoreError } from './plant-store-error.ts'

interface RetryOptions {
  signal?: AbortSignal | undefined
  retry: number
  timeoutMs: number
}

/** The codes after which a create or delete was certainly not applied. */
const NOT_APPLIED = /^(rate_limited|overloaded|auth_unavailable)$/
/** A longer `Retry-After` is for the caller to decide about. */
const MAX_WAIT_SECONDS = 60

/** Runs a call, each try with a time limit, and again after failures that may pass. */
export function withRetries<T>(
  method: string,
  { retry, timeoutMs, ...options }: RetryOptions,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return abortable(options, async (signal) => {
    /** Whether an earlier try may have been applied. */
    let isOpen = false
    for (let tries = 0; ; tries++) {
      try {
        return await abortable({ signal }, (own) => withTimeLimit(timeoutMs, run(own)))
      } catch (error) {
        if (!(error instanceof PlantStoreError)) throw error
        const { code, status = 0, retryAfterSeconds: seconds = 2 ** tries / 5 } = error
        if (isOpen && method === 'DELETE' && code === 'plant_not_found') return undefined as T
        if (isOpen && code === 'duplicate_id') Object.assign(error, { mayBeOwn: true })
        const mayPass = code === 'network_error' || status === 429 || status > 499
        if (!mayPass || tries >= retry || seconds > MAX_WAIT_SECONDS) throw error
        isOpen ||= !NOT_APPLIED.test(code)
        await waitSeconds(error.retryAfterSeconds ? seconds : seconds * (1 - Math.random() / 2))
        if (signal.aborted) throw signal.reason
      }
    }
  })
}

function withTimeLimit<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new PlantStoreError(`No response in ${timeoutMs} ms`, { code: 'network_error' }))
    }, timeoutMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function waitSeconds(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
