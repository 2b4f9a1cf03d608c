import type { MaybePromise } from '../../src/maybe-promise.ts'
import { afterPendingReads } from '../shared/pending-reads.ts'
import { isEncrypted, type NodeRequest } from './request.ts'

/** Node emits 'request' before it reads the body that came with the head. A microtask runs after that read. */
const nextMicrotask = Promise.resolve()

/**
 * Waits until Node has read what has come in: the body of a create and, under load, the other requests of this turn.
 * Most bodies are complete by then, so a synchronous verifier and storage need no further promise.
 */
export function afterBufferedInput(message: NodeRequest): MaybePromise<void> {
  const isCreate = message.method === 'POST'
  // A middleware has resumed it. What it emits before the store reads it would be lost.
  if (isCreate && message.readableFlowing && message.listenerCount('data') === 0) message.pause()
  // Node ends a TLS socket in the turn in which its client does, whatever is still to be sent.
  const turn = isEncrypted(message) ? undefined : afterPendingReads()
  return turn ?? (isCreate ? nextMicrotask : undefined)
}
