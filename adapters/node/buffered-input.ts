import type { MaybePromise } from '../../src/maybe-promise.ts'
import { afterPendingReads } from '../shared/pending-reads.ts'
import { isEncrypted, type NodeRequest } from './request.ts'

/** Node emits 'request' before it reads the body that came with the head. A microtask runs after that read. */
const nextMicrotask = Promise.resolve()

/**
 * Waits until Node has read what has come in: the body of a create and, under load, the other requests of this turn.
 * Most bodies are complete by then, so a synchronous verifier and storage need no further promise.
 *
 * Run what follows with `andThen()`: `await` would wait for a flowing request too.
 */
export function afterBufferedInput(message: NodeRequest): MaybePromise<void> {
  // A middleware has resumed it. What it emits before the store listens is lost.
  if (message.readableFlowing) return undefined
  // Node ends a TLS socket in the turn in which its client does, whatever is still to be sent.
  const turn = isEncrypted(message) ? undefined : afterPendingReads()
  return turn ?? (message.method === 'POST' ? nextMicrotask : undefined)
}
