import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The results of a good client since it was last paused. */
export interface GoodReport {
  answers: number
  /** Answers that were not the right one, and requests that failed. */
  wrong: string[]
  longestWaitMs: number
}

/** A client in a process of its own that asks for a plant every few ms, on one connection. */
export interface GoodClient {
  /** Lets it receive the answer that it waits for, and no more until it is resumed. */
  pause(): Promise<GoodReport>
  resume(): void
  stop(): Promise<void>
}

export async function startGoodClient(
  port: number,
  protocol: 'http1' | 'http2',
): Promise<GoodClient> {
  const path = fileURLToPath(new URL('good-client-process.ts', import.meta.url))
  const child = fork(path, [String(port), protocol], { execArgv: [] })
  const exited = once(child, 'exit')
  await once(child, 'message')
  return {
    async pause() {
      const report = once(child, 'message')
      child.send('pause')
      return (await report)[0]
    },
    resume: () => void child.send('resume'),
    async stop() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
