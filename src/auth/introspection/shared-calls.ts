import { isCloudflareWorkers } from '../../lib/runtime.ts'

interface SharedCall<T> {
  readonly result: Promise<T>
  readonly controller: AbortController
  callers: number
}

/**
 * Makes one call for all who ask about the same key at the same time. Its signal is aborted when the last of them has gone.
 * In a Worker, everybody makes their own.
 */
export function shareCalls<T>(
  call: (key: string, signal: AbortSignal | undefined) => Promise<T>,
): (key: string, signal: AbortSignal | undefined) => Promise<T> {
  const pending = new Map<string, SharedCall<T>>()

  function start(key: string): SharedCall<T> {
    const controller = new AbortController()
    const result = call(key, controller.signal)
    const shared = { result, controller, callers: 0 }
    pending.set(key, shared)
    const end = () => forget(key, shared)
    result.then(end, end)
    return shared
  }

  function forget(key: string, shared: SharedCall<T>): void {
    if (pending.get(key) === shared) pending.delete(key)
  }

  return (key, signal) => {
    if (isCloudflareWorkers()) return call(key, signal)
    signal?.throwIfAborted()
    const shared = pending.get(key) ?? start(key)
    shared.callers++
    signal?.addEventListener('abort', () => {
      if (--shared.callers > 0) return
      forget(key, shared)
      shared.controller.abort(signal.reason)
    })
    return shared.result
  }
}
