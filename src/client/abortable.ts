import { assertNoUnknownOptions } from './assert-no-unknown-options.ts'

/**
 * Runs a call that the caller's signal can abort. It settles on abort, even if the work ignores the signal.
 *
 * The work gets a signal of its own. A Request leaves a listener on its signal until it is collected, and
 * the caller's signal may live as long as the program. Aborting our own at the end removes our listener
 * from the caller's, and cancels a body that was not read.
 */
export async function abortable<T>(
  { signal, ...unknown }: { signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  assertNoUnknownOptions(unknown)
  // React Native has no throwIfAborted().
  if (signal?.aborted) throw signal.reason
  const controller = new AbortController()
  const { signal: own } = controller
  return new Promise<T>((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { signal: own })
    work(own).then(resolve, reject)
  }).finally(() => controller.abort())
}
