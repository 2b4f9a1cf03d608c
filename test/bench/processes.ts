import { type ChildProcess, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startProcess } from '../shared/processes.ts'

/** The core that a process is pinned to: one for servers, the other for the load. */
export type Core = 'server' | 'load'

const PINS: Record<Core, string> = { server: '0', load: '1' }

/** Whether servers and load are tied to cores of their own. */
export const pinned = Object.values(PINS).every(
  (core) => spawnSync('taskset', ['-c', core, 'true']).status === 0,
)

/** Starts a program on a core. It is killed with this process at the latest. */
export function start(core: Core, command: readonly string[]): ChildProcess {
  const env = { ...process.env, NODE_ENV: 'production' }
  return startProcess(pinned ? ['taskset', '-c', PINS[core], ...command] : command, { env })
}

export const NODE_ARGS = ['--expose-gc', '--disable-warning=ExperimentalWarning']

/** Starts a file, by its path from this folder, which answers questions. */
export function startScript(
  core: Core,
  file: string,
  args: string[] = [],
  runtime = [process.execPath, ...NODE_ARGS],
): ChildProcess {
  return start(core, [...runtime, fileURLToPath(new URL(file, import.meta.url)), ...args])
}

/** Ties a process that runs already, and those that it starts from now on, to a core. */
export function tie(pid: number, core: Core): void {
  if (pinned) spawnSync('taskset', ['-acp', PINS[core], `${pid}`])
}

/** The CPU time that all threads of a process have used, in µs. Needs Linux. */
export function cpuOfProcess(pid: number): number {
  let nanoseconds = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [running] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    nanoseconds += Number(running)
  }
  return nanoseconds / 1000
}
