import type { RequestListener } from 'node:http'
import type { Server } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Listening, listen } from './listen.ts'

/**
 * Like `listen`, but closes the server when the test is finished. It has a file of its own because programs
 * outside vitest import `listen`.
 */
export async function listening(app: RequestListener): Promise<Listening>
export async function listening<S extends Server>(server: S): Promise<Listening<S>>
export async function listening(app: RequestListener | Server): Promise<Listening<Server>>
export async function listening(app: RequestListener | Server): Promise<Listening<Server>> {
  const started = await listen(app)
  onTestFinished(started.close)
  return started
}
