import { abortable } from './abortable.ts'
import { PlantStoreError } from './plant-store-error.ts'
import { waitMs } from './wait-ms.ts'

/** Runs a request, and aborts it after a time. Then it rejects with a network error, even if it ignores its signal. */
export function limitRequest<T>(
  timeoutMs: number,
  signal: AbortSignal,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return abortable({ signal }, (own) =>
    Promise.race([
      request(own),
      waitMs(timeoutMs, own).then(() => {
        throw new PlantStoreError(`No response in ${timeoutMs} ms`, { code: 'network_error' })
      }),
    ]),
  )
}
