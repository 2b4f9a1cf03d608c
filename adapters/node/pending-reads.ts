// The module's, since fake timers of an app's tests replace the global one.
import { setImmediate } from 'node:timers'
import type { MaybePromise } from '../../src/maybe-promise.ts'
import { isEncrypted, type NodeRequest } from './request.ts'

/** The server is under load once this many requests come in one turn of the event loop. */
const LOADED_FROM = 10
/** It no longer is once fewer than this come. */
const CALM_BELOW = 4
/** So many requests of a calm server are answered at once before those of a turn are counted again. */
const CALM_REQUESTS = 64

let turn: Promise<void> | undefined
let requestsOfTurn = 0
let calmRequestsLeft = CALM_REQUESTS
let isLoaded = false

/**
 * Under load, waits until Node has read all connections of this turn of the event loop: requests that are read
 * together and then answered together take a tenth less CPU with 32 clients (npm run bench -- http). With up to 8
 * clients, the wait would take more than it saves.
 */
export function afterPendingReads(message: NodeRequest): MaybePromise<void> {
  // Node ends a TLS socket in the turn in which its client does, whatever is still to be sent.
  if (isEncrypted(message)) return
  if (calmRequestsLeft > 0) {
    calmRequestsLeft--
    return
  }
  requestsOfTurn++
  turn ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    isLoaded = requestsOfTurn >= (isLoaded ? CALM_BELOW : LOADED_FROM)
    if (!isLoaded) calmRequestsLeft = CALM_REQUESTS
    requestsOfTurn = 0
    turn = undefined
  })
  return turn
}
