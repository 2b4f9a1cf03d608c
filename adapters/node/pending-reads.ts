import type { MaybePromise } from '../../src/maybe-promise.ts'
import { afterPendingReads } from '../shared/pending-reads.ts'
import { isEncrypted, type NodeRequest } from './request.ts'

/**
 * Under load, waits for the other requests of this turn, unless the request came over TLS: Node ends a TLS socket in
 * the turn in which its client does, whatever is still to be sent.
 */
export function afterPendingReadsUnlessTls(message: NodeRequest): MaybePromise<void> {
  return isEncrypted(message) ? undefined : afterPendingReads()
}
