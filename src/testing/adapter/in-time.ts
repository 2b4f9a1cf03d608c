import { ContractViolation } from '../violation.ts'

/** Thrown if something does not come in time. */
export class LateError extends ContractViolation {}

/** Waits for a promise, and no longer than this. */
export async function inTime<T>(
  patienceMs: number,
  problem: string,
  promise: Promise<T>,
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new LateError(`${problem} within ${patienceMs / 1000} s`)),
    patienceMs,
  )
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
