import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

/** A command that is running or has ended. It ends with this process at the latest. */
export type Command = ReturnType<typeof startCommand>

export interface CommandOptions extends SpawnOptions {
  /** What ends it with this process. Default: SIGKILL. */
  lastSignal?: NodeJS.Signals
}

const endings = new Set<() => void>()
process.once('exit', () => {
  for (const end of endings) end()
})
// A signal alone would end this process without its 'exit' event.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

/** Starts a command. Its standard output and errors go to pipes by default. */
export function startCommand(
  [program, ...args]: readonly string[],
  { lastSignal = 'SIGKILL', ...options }: CommandOptions = {},
) {
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  /** Sends it a signal, and its children too if it is `detached`. */
  function signal(name: NodeJS.Signals): void {
    if (!options.detached) return void child.kill(name)
    try {
      process.kill(-child.pid!, name)
    } catch {
      // ESRCH: the group has ended.
    }
  }
  const end = () => signal(lastSignal)
  endings.add(end)
  /** Resolves to the exit code; null when a signal ended it. */
  const exit: Promise<number | null> = once(child, 'close').then(([code]) => code)
  child.once('close', () => endings.delete(end))
  return { child, exit, signal, output: () => output }
}

/** Waits until a command has printed something. Throws with its output when it ends before. */
export async function untilPrinted(
  { exit, output }: Command,
  pattern: RegExp,
): Promise<RegExpExecArray> {
  for (let isEnded = false; ; ) {
    const found = pattern.exec(output())
    if (found) return found
    if (isEnded) throw new Error(`Ended: ${output()}`)
    isEnded = await Promise.race([exit.then(() => true), delay(10, false)])
  }
}

/** Runs a command to its end. Throws with its output when it fails. */
export async function runCommand(
  command: readonly string[],
  options: CommandOptions,
): Promise<string> {
  const { exit, output } = startCommand(command, { ...options, detached: true })
  const code = await exit
  if (code === 0) return output()
  throw new Error(`${command.join(' ')} ended with ${code}:\n${output()}`)
}

/** How long a program may take to end by itself. */
const GRACE_MS = 10_000

/**
 * Ends a command by SIGTERM, or by SIGKILL when that was not enough.
 *
 * @returns the exit code, or null when a signal ended it
 */
export async function endCommand(
  { exit, signal }: Command,
  name: NodeJS.Signals = 'SIGTERM',
): Promise<number | null> {
  signal(name)
  const killer = setTimeout(() => signal('SIGKILL'), GRACE_MS)
  const code = await exit
  clearTimeout(killer)
  return code
}
