import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

/** A command that is running or has ended. */
export interface Command {
  readonly child: ChildProcess
  /** Resolves to the exit code; null when a signal ended it. */
  readonly exit: Promise<number | null>
  /** Its output so far, to stdout and stderr. */
  output(): string
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL')
})

/** Starts a command in a process group of its own, so that `endCommand` ends its children too. */
export function startCommand(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Command {
  const child = spawn(command, args, {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('close', () => running.delete(child))
  return watch(child)
}

/** Collects the output of a process, as far as it goes to pipes. */
export function watch(child: ChildProcess): Command {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  const exit = once(child, 'close').then(([code]) => code)
  return { child, exit, output: () => output }
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
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const started = startCommand(command, args, cwd, env)
  const code = await started.exit
  if (code === 0) return started.output()
  throw new Error(`${[command, ...args].join(' ')} ended with ${code}:\n${started.output()}`)
}

/** How long a program may take to end by itself. */
const GRACE_MS = 10_000

/** Ends a command and its children: by SIGTERM, or by SIGKILL when that was not enough. */
export async function endCommand({ child, exit }: Command): Promise<void> {
  signalGroup(child, 'SIGTERM')
  const killer = setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS)
  await exit
  clearTimeout(killer)
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid!, signal)
  } catch {
    // ESRCH: the group has ended.
  }
}
