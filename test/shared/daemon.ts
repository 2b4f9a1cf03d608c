import { chownSync, cpSync, mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, type CommandOptions, startCommand, untilPrinted } from './command.ts'

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

/** A server program that can be ended and started again. */
export interface Daemon {
  /** Resolves when it has printed that it is ready. */
  start(): Promise<void>
  /** Sends it a signal, and waits for its end. */
  end(signal: NodeJS.Signals): Promise<void>
}

/** @param ready what it prints to stderr when it is ready */
export function createDaemon(
  command: readonly string[],
  options: CommandOptions,
  ready: RegExp,
): Daemon {
  let running: Command | undefined
  return {
    async start() {
      running = startCommand(command, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
      await untilPrinted(running, ready)
    },
    async end(signal) {
      running?.signal(signal)
      await running?.exit
      running = undefined
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
