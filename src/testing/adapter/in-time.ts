import { ContractViolation } from '../violation.ts'

/** Waits for a promise, and no longer than this. */
export async function inTime<T>(
  patienceMs: number,
  problem: string,
  promise: Promise<T>,
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const violation = new ContractViolation(`${problem} within ${patienceMs / 1000} s`)
  const timer = setTimeout(() => reject(violation), patienceMs)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
