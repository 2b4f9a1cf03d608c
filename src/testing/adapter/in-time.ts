import { ContractViolation } from '../violation.ts'

/** Waits for a promise, and no longer than this. */
export async function inTime<T>(
  patienceMs: number,
  problem: string,
  promise: Promise<T>,
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(tooLate(problem, patienceMs)), patienceMs)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

export function tooLate(problem: string, patienceMs: number): ContractViolation {
  return new ContractViolation(`${problem} within ${patienceMs / 1000} s`)
}
