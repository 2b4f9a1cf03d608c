// The module's, since fake timers of an app's tests replace the global one.
import { setImmediate } from 'node:timers'
import type { MaybePromise } from '../../src/maybe-promise.ts'

/** The server is under load once this many requests come in one turn of the event loop. */
const MANY = 10
/** It no longer is once fewer than this come. */
const FEW = 4
/** Without load, the requests of a turn are counted only after this many more: a turn of its own costs 4 µs. */
const UNCOUNTED = 64

let turn: Promise<void> | undefined
let requests = 0
let uncounted = UNCOUNTED
let isLoaded = false

/**
 * Under load, waits until Node has read all connections of this turn of the event loop: requests that are read
 * together and then answered together take a tenth less CPU with 32 clients (npm run bench -- http). With up to 8,
 * the wait would take more than it saves.
 */
export function pendingReads(): MaybePromise<void> {
  if (uncounted > 0) {
    uncounted--
    return
  }
  requests++
  turn ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    isLoaded = requests >= (isLoaded ? FEW : MANY)
    if (!isLoaded) uncounted = UNCOUNTED
    requests = 0
    turn = undefined
  })
  return turn
}
