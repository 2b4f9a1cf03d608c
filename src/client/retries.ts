import { PlantStoreError } from './plant-store-error.ts'

/** Runs a call, and again after failures that may pass. Says of a failure whether the call may have been applied. */
export function withRetries<T>(
  method: string,
  retry: number,
  caller: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return abortable(caller, async (signal) => {
    /** Whether a create or delete may have been applied by an earlier try. */
    let isOpen = false
    for (let tries = 0; ; tries++) {
      try {
        return await run(signal)
      } catch (error) {
        if (!(error instanceof PlantStoreError)) throw error
        const { code, status = 0, retryAfterSeconds: seconds = 0 } = error
        if (isOpen && code === 'plant_not_found') return undefined as T
        // After a redirect, a 4xx and a 5xx that comes before the storage, it was certainly not applied.
        isOpen ||=
          method !== 'GET' &&
          (status < 300 || status > 499) &&
          !/overloaded|auth_unavailable|redirect_refused/.test(code)
        Object.assign(error, { mayHaveBeenApplied: isOpen })
        // A proxy sends 408 on a connection that it has found idle.
        const mayPass = code === 'network_error' || status === 408 || status === 429 || status > 499
        // Whether to wait for more than a minute is for the caller to decide.
        if (!mayPass || tries >= retry || seconds > 60) throw error
        // Jitter also where the server names the time, since it names the same to all.
        await waitMs((seconds + 2 ** tries * (0.1 + Math.random() / 10)) * 1000, signal)
      }
    }
  })
}

/** Runs a request, and aborts it after a time. Then it rejects with a network error, even if it ignores its signal. */
export function limitRequest<T>(
  timeoutMs: number,
  origin: string,
  caller: AbortSignal,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return abortable(caller, (signal) =>
    Promise.race([
      request(signal),
      waitMs(timeoutMs, signal).then(() => {
        throw new PlantStoreError(`No response from ${origin} in ${timeoutMs} ms`, {
          code: 'network_error',
        })
      }),
    ]),
  )
}

/**
 * Runs a call that the caller's signal can abort. It settles on abort, even if the work ignores the signal.
 *
 * The work gets a new signal. A Request leaves a listener on its signal until it is collected, and
 * the caller's signal may live as long as the program. Aborting our own at the end removes our listener
 * from the caller's, and cancels a body that was not read.
 */
async function abortable<T>(
  caller: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // React Native has no throwIfAborted().
  if (caller?.aborted) throw caller.reason
  const controller = new AbortController()
  const { signal } = controller
  return new Promise<T>((resolve, reject) => {
    caller?.addEventListener('abort', () => reject(caller.reason), { signal })
    work(signal).then(resolve, reject)
  }).finally(() => controller.abort())
}

/** Resolves after a time. If the signal is aborted before, it never settles, and its timer is cleared. */
function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => clearTimeout(timer))
  })
}
