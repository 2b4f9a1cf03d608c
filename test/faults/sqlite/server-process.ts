import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A server in a process of its own. */
export interface ServerProcess {
  url: string
  /** The URL of its plants. */
  plants: string
  /** Resolves when it has ended. */
  ended: Promise<unknown>
  kill(): Promise<void>
}

/** Starts `server.ts` on the file. Rejects if it ends before it listens. */
export async function startServerProcess(
  file: string,
  lockTimeoutMs = 5000,
  env: NodeJS.ProcessEnv = {},
): Promise<ServerProcess> {
  const child = startScript('server.ts', [file, String(lockTimeoutMs)], env)
  const ended = once(child, 'exit')
  const [line] = await Promise.race([
    once(child.stdout!, 'data'),
    ended.then(() => Promise.reject(new Error('The server did not start'))),
  ])
  const url = String(line).trim()
  return {
    url,
    plants: `${url}/plants`,
    ended,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Starts a script of this folder. */
export function startScript(
  script: string,
  parameters: string[],
  env: NodeJS.ProcessEnv = {},
): ChildProcess {
  const path = fileURLToPath(new URL(script, import.meta.url))
  return spawn(process.execPath, [path, ...parameters], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
}
