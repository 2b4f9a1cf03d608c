import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A program that serves. */
export interface Program {
  /** The first URL that it printed. */
  url: string
  /** The process. */
  pid: number
  /** Its output so far. */
  output(): string
  /** Sends it a signal, and resolves to its exit code, or to null when it had to be killed. */
  signal(name: 'SIGTERM' | 'SIGINT'): Promise<number | null>
  /** Ends it with SIGTERM, and expects it to go. */
  stop(): Promise<void>
  kill(): Promise<void>
  /** Resolves when it has ended. */
  ended: Promise<[code: number | null, signal: string | null]>
}

/** The root of the project. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** A file that npm has installed. */
export const installed = (path: string) => join(ROOT, 'node_modules', path)
const RUNTIMES = ['node/bin', 'bun/bin', 'deno']
/** Finds first what npm has installed. On Windows, .bin has scripts that only a shell can run. */
export const PATH = [...RUNTIMES, '.bin'].map(installed).concat(process.env.PATH!).join(delimiter)
const PATIENCE_MS = 10_000

/**
 * Starts a program and waits for it to print its URL.
 *
 * @param command such as `node examples/express.ts`, or its words; run in the root of the project, with what npm has
 *   installed first in the path
 */
export async function startProgram(
  command: string | readonly string[],
  env: Record<string, string> = {},
): Promise<Program> {
  const [program, ...args] = typeof command === 'string' ? command.split(' ') : command
  const child = spawn(program!, args, {
    cwd: ROOT,
    env: { ...process.env, ...env, PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>

  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const onOutput = (chunk: Buffer) => {
      output += chunk
      const found = /http:\/\/[^\s/]+/.exec(output)
      if (found) resolve(found[0])
    }
    child.stdout.on('data', onOutput)
    child.stderr.on('data', onOutput)
    child.once('error', reject)
    void exited.then(() => reject(new Error(`${command} ended: ${output}`)))
  })

  async function end(signal: 'SIGTERM' | 'SIGINT') {
    child.kill(signal)
    const killer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
    const outcome = await exited
    clearTimeout(killer)
    return outcome
  }

  return {
    url,
    pid: child.pid!,
    output: () => output,
    ended: exited,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    signal: async (name) => (await end(name))[0],
    async stop() {
      const [code, signal] = await end('SIGTERM')
      // A program that doesn't handle SIGTERM is ended by it; some runtimes report that as 143.
      if (code !== 0 && code !== 143 && signal !== 'SIGTERM')
        throw new Error(`${command} ended badly: ${output}`)
    },
  }
}
