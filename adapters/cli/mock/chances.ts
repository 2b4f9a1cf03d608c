import { createHash } from 'node:crypto'
import type { OperationName } from '../operation.ts'
import { isPossible, OUTCOMES, type Outcome } from './outcomes.ts'

/** A failure that chance may bring: an outcome, or a refusal that leaves nothing open. */
type ChanceFailure = Outcome | 'overloaded'

/** The chances of one request. */
export interface Chances {
  failure?: ChanceFailure
  delayMs: number
}

export interface ChanceOptions {
  /** The share of the requests that fail, from 0 to 1. */
  rate: number
  /** The least and the most time that a response waits for, in ms. */
  delayMs: readonly [number, number]
  seed: number
}

/**
 * Draws the chances of a request: always the same for the same seed, request and count. So they don't depend on the requests
 * of others, which come in any order.
 */
export function drawChances(
  operation: OperationName,
  key: string,
  { rate, delayMs: [least, most], seed }: ChanceOptions,
): Chances {
  const [chance, choice, pace] = fractions(`${seed} ${key}`)
  const failures = [...OUTCOMES.filter((one) => isPossible(one, operation)), 'overloaded'] as const
  const delayMs = least + pace! * (most - least)
  if (chance! >= rate) return { delayMs }
  return { failure: failures[Math.floor(choice! * failures.length)]!, delayMs }
}

/** Three numbers from 0 to 1, without 1, that are as good as random. */
function fractions(text: string): number[] {
  const hash = createHash('sha256').update(text).digest()
  return [0, 4, 8].map((offset) => hash.readUInt32BE(offset) / 2 ** 32)
}
