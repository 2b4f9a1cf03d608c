import { ContractViolation } from './framework.ts'

const CONCURRENT_CALLS = 64

/**
 * Waits for a promise, and no longer than this.
 *
 * @param problem the message of a late one, without its end
 */
export async function inTime<T>(
  patienceMs: number,
  problem: string | (() => string),
  promise: PromiseLike<T>,
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const onLate = () =>
    reject(tooLate(typeof problem === 'string' ? problem : problem(), patienceMs))
  const timer = setTimeout(onLate, patienceMs)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

export function tooLate(problem: string, patienceMs: number): ContractViolation {
  return new ContractViolation(`${problem} within ${patienceMs / 1000} s`)
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Like `Promise.all`, but waits for every call, so that a storage is never closed during a call. */
export async function settleAll<const T extends readonly unknown[]>(
  calls: T,
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  await Promise.allSettled(calls)
  return Promise.all(calls)
}

/** Calls the function for each item, with so many calls at once. */
export async function atOnce<T>(
  items: readonly T[],
  call: (item: T) => Promise<unknown>,
  width = CONCURRENT_CALLS,
): Promise<void> {
  const left = items.values()
  await settleAll(
    Array.from({ length: width }, async () => {
      for (const item of left) await call(item)
    }),
  )
}
