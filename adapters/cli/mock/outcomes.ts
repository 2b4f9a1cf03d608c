import { setTimeout as sleep } from 'node:timers/promises'
import { isStream, type Reply } from '../../../src/adapter.ts'
import { errorReply } from '../error-reply.ts'
import type { OperationName } from '../operation.ts'

/** The values of the preference `plant-store`. */
export const OUTCOMES = ['applied-503', 'applied-cut', 'cut', 'truncated', 'rate-limited'] as const

export type Outcome = (typeof OUTCOMES)[number]

export interface OutcomeParts {
  operation: OperationName
  /** Lets the store carry out the request. */
  carryOut(): Promise<Reply>
  /** Breaks the connection of the request. */
  cut(): void
}

/** Whether the operation can have the outcome: only a list is long enough to be truncated. */
export function isPossible(outcome: Outcome, operation: OperationName): boolean {
  return outcome !== 'truncated' || operation === 'listPlants'
}

/**
 * Lets a request fail. Resolves to the store's own reply if the store refuses the request: then nothing is open.
 */
export async function fail(
  outcome: Outcome,
  { operation, carryOut, cut }: OutcomeParts,
): Promise<{ reply: Reply; isFailure: boolean }> {
  if (outcome === 'rate-limited') return asFailure(errorReply('rate_limited', operation))
  if (outcome === 'cut') return asFailure(cutReply(cut))
  const reply = await carryOut()
  if (reply.status >= 400) return { reply, isFailure: false }
  if (outcome === 'truncated')
    return asFailure({ ...reply, body: truncated(await readBodyOf(reply)) })
  await discard(reply)
  return asFailure(outcome === 'applied-503' ? errorReply('timeout', operation) : cutReply(cut))
}

function asFailure(reply: Reply) {
  return { reply, isFailure: true }
}

/** nginx's status for a client that has gone: an adapter sends nothing then. */
function cutReply(cut: () => void): Reply {
  cut()
  return { status: 499, headers: {}, body: null }
}

async function readBodyOf({ body }: Reply): Promise<string> {
  if (!isStream(body)) return body ?? ''
  let text = ''
  for await (const part of body) text += part
  return text
}

/** Ends a body that nobody gets. */
async function discard({ body }: Reply): Promise<void> {
  if (isStream(body)) await body[Symbol.asyncIterator]().return?.()
}

/** The first half of a body, after which the connection breaks. */
async function* truncated(text: string): AsyncGenerator<string> {
  yield text.slice(0, Math.ceil(text.length / 2))
  // The host may still hold the half that it was given.
  await sleep(50)
  throw new Error('Truncated, as the mock was asked to')
}
