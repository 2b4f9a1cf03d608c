import { type ErrorName, errors } from '../../../src/index.ts'
import { errorOf, type OperationName } from '../operation.ts'
import type { Chances } from './chances.ts'
import { isPossible, OUTCOMES, type Outcome } from './outcomes.ts'

/** The failure that a request shall have: an error of the catalogue, or an outcome. */
export interface Demand {
  /** The preference that says so, or `chaos`. */
  cause: string
  error?: ErrorName
  outcome?: Outcome
}

/** The cause of a failure that nobody asked for. */
export const CHAOS = 'chaos'

/**
 * Reads what the preferences of a request ask for, or else takes what chance brings.
 *
 * @throws RangeError if the mock doesn't know a value: a test with a typo must not succeed
 */
export function demandOf(
  preferences: Map<string, string>,
  operation: OperationName,
  { failure }: Chances,
): Demand | undefined {
  const code = preferences.get('code')
  const example = preferences.get('example')
  const outcome = preferences.get('plant-store')
  if (outcome !== undefined) return outcomeDemand(outcome, operation)
  if (example !== undefined) return exampleDemand(example, code)
  if (code !== undefined) return codeDemand(code, operation)
  if (failure === undefined) return undefined
  return { cause: CHAOS, ...(failure === 'overloaded' ? { error: failure } : { outcome: failure }) }
}

function outcomeDemand(value: string, operation: OperationName): Demand {
  const known = OUTCOMES.filter((one) => isPossible(one, operation))
  const outcome = known.find((one) => one === value)
  if (outcome) return { cause: `plant-store=${value}`, outcome }
  throw unknownValue('plant-store', value, known)
}

function exampleDemand(value: string, code: string | undefined): Demand {
  const names = Object.keys(errors) as ErrorName[]
  const known = names.filter((name) => code === undefined || String(errors[name].status) === code)
  const error = known.find((name) => name === value)
  if (error) return { cause: `example=${value}`, error }
  throw unknownValue('example', value, known)
}

/** A success is left to the store, and to it alone. */
function codeDemand(value: string, operation: OperationName): Demand | undefined {
  if (/^2\d\d$/.test(value)) return undefined
  const error = errorOf(operation, Number(value))
  if (error) return { cause: `code=${value}`, error }
  throw unknownValue('code', value, [...new Set(Object.values(errors).map(({ status }) => status))])
}

function unknownValue(name: string, value: string, known: readonly unknown[]): RangeError {
  return new RangeError(
    `Prefer: ${name}=${value} is not known here. The values are ${known.join(', ')}.`,
  )
}
