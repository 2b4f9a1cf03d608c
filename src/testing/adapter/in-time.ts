import { ContractViolation } from '../violation.ts'

/** Far longer than any answer takes on a busy machine. */
const PATIENCE_MS = 10_000

/** Waits for a promise, and no longer than the tests' patience. */
export async function inTime<T>(what: string, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new ContractViolation(`${what} did not come within ${PATIENCE_MS / 1000} s`)),
    PATIENCE_MS,
  )
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
