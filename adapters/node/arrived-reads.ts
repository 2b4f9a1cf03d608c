import type { MaybePromise } from '../../src/maybe-promise.ts'
import { afterPendingReads } from '../shared/pending-reads.ts'
import { isEncrypted, type NodeRequest } from './request.ts'

/** Microtasks run once Node has read the body that has come with a head. The head alone is passed on before. */
const afterBody = Promise.resolve()

/**
 * Waits until Node has read what has arrived: the body of a create and, under load, the other requests of this turn.
 * The body is mostly complete then, and everything after is synchronous. With 4 clients, a create takes 6 % less CPU
 * than one that waits where the body is read.
 *
 * A request over TLS doesn't wait for others: Node ends a TLS socket in the turn in which its client does, whatever is
 * still to be sent.
 */
export function afterArrivedReads(message: NodeRequest): MaybePromise<void> {
  const turn = isEncrypted(message) ? undefined : afterPendingReads()
  return turn ?? (message.method === 'POST' ? afterBody : undefined)
}
