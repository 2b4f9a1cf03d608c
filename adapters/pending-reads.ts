// The module's, since fake timers of an app's tests replace the global one.
import { setImmediate } from 'node:timers'

/** The server is under load while at least this many requests come in one turn of the event loop. */
const LOADED_FROM = 4
/** So many requests of a calm server are served at once before those of a turn are counted again. */
const CALM_REQUESTS = 64

let turn: Promise<void> | undefined
let requestsOfTurn = 0
let calmRequestsLeft = CALM_REQUESTS

/**
 * Under load, returns a promise that is fulfilled when the runtime has read all connections of this turn of the event
 * loop. Requests that are read together and then served together take less CPU: test/bench/README.md says how much.
 *
 * Each request waits for the promise by itself, so that it keeps its AsyncLocalStorage context. A queue of functions
 * would run them all in the context of the first.
 */
export function pendingReads(): Promise<void> | undefined {
  if (calmRequestsLeft > 0) {
    calmRequestsLeft--
    return undefined
  }
  requestsOfTurn++
  turn ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    if (requestsOfTurn < LOADED_FROM) calmRequestsLeft = CALM_REQUESTS
    requestsOfTurn = 0
    turn = undefined
  })
  return turn
}
