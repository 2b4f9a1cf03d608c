import { type ChildProcess, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installed, PATH } from '../runtimes/program.ts'
import { startProcess } from '../shared/processes.ts'

/** The core that a process is pinned to: one for servers, the other for the load. */
const PINS = { server: '0', load: '1' }
type Core = keyof typeof PINS

/** Whether servers and load are tied to cores of their own. */
export const pinned = Object.values(PINS).every(
  (core) => spawnSync('taskset', ['-c', core, 'true']).status === 0,
)

/** Starts a program on a core. It is killed with this process at the latest. */
export function start(core: Core, command: readonly string[]): ChildProcess {
  const env = { ...process.env, PATH, NODE_ENV: 'production' }
  return startProcess(pinned ? ['taskset', '-c', PINS[core], ...command] : command, { env })
}

export const NODE = [process.execPath, '--expose-gc', '--disable-warning=ExperimentalWarning']

/** Starts a file, by its path from this folder, which answers questions. */
export function startScript(core: Core, file: string, args: string[] = [], runtime = NODE) {
  return start(core, [...runtime, fileURLToPath(new URL(file, import.meta.url)), ...args])
}

/** Ties a process that runs already, and those that it starts from now on, to the core of the load. */
export function tieToLoad(pid: number): void {
  if (pinned) spawnSync('taskset', ['-acp', PINS.load, `${pid}`])
}

const folder = installed(`.plant-store-bench-${process.pid}`)
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/**
 * Returns a path in a new directory on the project's disk, since a commit in a tmpfs costs nothing. The directory goes
 * with this process.
 */
export function newFile(name: string): string {
  mkdirSync(folder, { recursive: true })
  return join(mkdtempSync(`${folder}/`), name)
}
