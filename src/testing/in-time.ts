import { ContractViolation } from './violation.ts'

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
