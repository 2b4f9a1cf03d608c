import { type ExecFileOptionsWithStringEncoding, execFile } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { endCommand, startCommand, untilPrinted } from '../shared/command.ts'

/** The root of the project. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** A file that `npm ci` has installed. */
export const installed = (path: string) => join(ROOT, 'node_modules', path)
/** A file that `npm run engines` has installed. */
export const installedForTests = (path: string) => join(ROOT, 'test/node_modules', path)
/** Finds first what npm has installed. On Windows, .bin has scripts that only a shell can run. */
export const PATH = [
  ...['node/bin', '.bin'].map(installed),
  ...['bun/bin', 'deno', '.bin'].map(installedForTests),
  process.env.PATH!,
].join(delimiter)

/** Runs a program to its end. By default in the root of the project, with what npm has installed first in the path. */
export const run = (
  program: string,
  args: readonly string[],
  options: ExecFileOptionsWithStringEncoding = {},
) => promisify(execFile)(program, args, { cwd: ROOT, env: { ...process.env, PATH }, ...options })

export type Program = Awaited<ReturnType<typeof startProgram>>

/**
 * Starts a program and waits for it to print its URL.
 *
 * @param command such as `node examples/express.ts`, or its words; run in the root of the project, with what npm has
 *   installed first in the path
 */
export async function startProgram(
  command: string | readonly string[],
  env: Record<string, string> = {},
) {
  const words = typeof command === 'string' ? command.split(' ') : command
  const started = startCommand(words, { cwd: ROOT, env: { ...process.env, ...env, PATH } })
  const { child, exit, output } = started
  const [url] = await untilPrinted(started, /http:\/\/[^\s/]+/)
  return {
    /** The first URL that it printed. */
    url,
    /** Its output so far. */
    output,
    /** Resolves to its exit code when it has ended. */
    ended: exit,
    async kill() {
      started.signal('SIGKILL')
      await exit
    },
    /** Sends it a signal, and resolves to its exit code, or to null when it had to be killed. */
    signal: (name: 'SIGTERM' | 'SIGINT') => endCommand(started, name),
    /** Ends it with SIGTERM, and expects it to go. */
    async stop() {
      const code = await endCommand(started)
      // A program that doesn't handle SIGTERM is ended by it; some runtimes report that as 143.
      if (code !== 0 && code !== 143 && child.signalCode !== 'SIGTERM')
        throw new Error(`${command} ended badly: ${output()}`)
    },
  }
}
