import { abortable } from './abortable.ts'
import { PlantStoreError } from './plant-store-error.ts'
import { waitMs } from './wait-ms.ts'

/** Runs a call, and again after failures that may pass. Says of a failure whether the call may have been applied. */
export function withRetries<T>(
  method: string,
  { retry, ...options }: { retry: number; signal?: AbortSignal | undefined },
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return abortable(options, async (signal) => {
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
