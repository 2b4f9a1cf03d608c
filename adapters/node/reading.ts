// The module's, since tests fake the global one, and what waits for that would wait for ever.
import { setImmediate } from 'node:timers'

let reading: Promise<void> | undefined

/**
 * Waits until Node has read what all connections have for it. What is answered together costs a tenth
 * less than what is answered as it comes, since Node drains its queues after each callback of its own.
 */
export function endOfReading(): Promise<void> {
  reading ??= new Promise((resolve) => {
    setImmediate(() => {
      reading = undefined
      resolve()
    })
  })
  return reading
}
