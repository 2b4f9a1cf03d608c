import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, mkdtempSync, readdirSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { untilPrinted, watch } from './command.ts'

// SIGTERM alone would end this process without its 'exit' event, and leave the servers behind.
process.once('SIGTERM', () => process.exit(128 + constants.signals.SIGTERM))

/** A database server for one test file. */
export interface DatabaseServer {
  /** For a pool of pg or mysql2. */
  connection: { host: string; port: number; user: string; database: string }
  start(): Promise<void>
  /** Shuts down: closes the connections, and rolls back their transactions. */
  stop(): Promise<void>
  /** Kills its first process. The next start recovers from the log. */
  kill(): Promise<void>
  /** Kills it and deletes its files. */
  remove(): Promise<void>
}

/** A server program that can be ended and started again. It ends with this process at the latest. */
export interface Daemon {
  /** Resolves when it has printed that it is ready. */
  start(): Promise<void>
  /** Sends it a signal, and waits for its end. */
  end(signal: NodeJS.Signals): Promise<void>
}

/**
 * @param ready what it prints to stderr when it is ready
 * @param lastSignal ends it with this process
 */
export function createDaemon(
  [program, ...args]: [string, ...string[]],
  options: Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'>,
  ready: RegExp,
  lastSignal: NodeJS.Signals = 'SIGKILL',
): Daemon {
  let child: ChildProcess | undefined
  const endAtExit = () => child?.kill(lastSignal)
  return {
    async start() {
      child = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
      process.on('exit', endAtExit)
      child.once('exit', () => process.off('exit', endAtExit))
      await untilPrinted(watch(child), ready)
    },
    async end(signal) {
      if (!child) return
      const exit = once(child, 'exit')
      child.kill(signal)
      await exit
      child = undefined
    },
  }
}

/** Copies the files of a server that doesn't run, for another one of the same user. */
export function copyFiles(folder: string, owner: { uid: number; gid: number } | undefined): string {
  // Not a longer name for the copy of a copy: the 30th would be too long.
  const copy = mkdtempSync(`${folder.replace(/-copy-\w+$/, '')}-copy-`)
  cpSync(folder, copy, { recursive: true })
  for (const name of ['', ...(readdirSync(copy, { recursive: true }) as string[])]) {
    if (owner) chownSync(join(copy, name), owner.uid, owner.gid)
  }
  return copy
}
