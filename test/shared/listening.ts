import { onTestFinished } from 'vitest'
import { listen } from './listen.ts'

/**
 * Like `listen`, but closes the server when the test is finished. It has a file of its own because programs
 * outside vitest import `listen`.
 */
export const listening = (async (app: Parameters<typeof listen>[0]) => {
  const started = await listen(app)
  onTestFinished(started.close)
  return started
}) as typeof listen
