import { ContractViolation } from '../violation.ts'

/** Waits for a promise, and no longer than this. */
export async function inTime<T>(patienceMs: number, what: string, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new ContractViolation(`${what} did not come within ${patienceMs / 1000} s`)),
    patienceMs,
  )
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
