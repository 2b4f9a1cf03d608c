// The module's, since fake timers of an app's tests replace the global one.
import { setImmediate } from 'node:timers'
import type { MaybePromise } from '../../src/maybe-promise.ts'

/** The server is under load once this many requests come in one turn of the event loop. */
const LOADED_FROM = 5
/** It no longer is once fewer than this come. */
const CALM_BELOW = 3
/** So many requests of a calm server are answered at once before those of a turn are counted again. */
const CALM_REQUESTS = 64

let turn: Promise<void> | undefined
let requestsOfTurn = 0
let calmRequestsLeft = CALM_REQUESTS
let isLoaded = false

/**
 * Under load, waits until the runtime has read all connections of this turn of the event loop. Requests that are read
 * together and then answered together take less CPU: with 32 clients, a tenth less on Node (npm run bench -- http). In
 * Elysia, a create takes a seventh less (npm run bench -- frameworks). With 5 to 8 clients, the wait takes as much
 * CPU as it saves; with fewer, a list on Bun takes more.
 */
export function afterPendingReads(): MaybePromise<void> {
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
