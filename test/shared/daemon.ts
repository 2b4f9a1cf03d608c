import { execFileSync } from 'node:child_process'
import { chownSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, type CommandOptions, startCommand, untilPrinted } from './command.ts'

/** A database server for one test file. */
export interface DatabaseServer extends Omit<Daemon, 'end'> {
  /** For a pool of pg or mysql2. */
  connection: { host: string; port: number; user: string; database: string }
  /** Runs statements one after another, on a connection of their own, and resolves to the rows of the last. */
  run(...statements: string[]): Promise<any>
  /** Shuts down: closes the connections, and rolls back their transactions. */
  stop(): Promise<void>
}

/** A server program that can be ended and started again. */
export type Daemon = ReturnType<typeof createDaemon>

/**
 * Prepares a server program that runs in a folder, as the user of the folder.
 *
 * @param ready what it prints to stderr when it is ready
 */
export function createDaemon(
  folder: string,
  command: readonly string[],
  ready: RegExp,
  options: CommandOptions = {},
) {
  let running: Command | undefined
  async function end(signal: NodeJS.Signals): Promise<void> {
    running?.signal(signal)
    await running?.exit
    running = undefined
  }
  return {
    /** Resolves when it has printed that it is ready. */
    async start(): Promise<void> {
      running = startCommand(command, {
        ...options,
        ...ordinaryUser(),
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      await untilPrinted(running, ready)
    },
    /** Sends it a signal, and waits for its end. */
    end,
    /** Kills its first process. A database's next start recovers from the log. */
    kill: () => end('SIGKILL'),
    /** Kills it and deletes its files. */
    async remove(): Promise<void> {
      await end(options.lastSignal ?? 'SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Creates a folder of a server. */
export function createFolder(server: string): string {
  return ownedByUser(mkdtempSync(join(tmpdir(), `plants-${server}-`)))
}

/** Copies the folder of a server that doesn't run. */
export function copyFolder(folder: string): string {
  // Not a longer name for the copy of a copy: the 30th would be too long.
  const copy = mkdtempSync(`${folder.replace(/-copy-\w+$/, '')}-copy-`)
  cpSync(folder, copy, { recursive: true })
  return ownedByUser(copy)
}

function ownedByUser(folder: string): string {
  const user = ordinaryUser()
  for (const name of ['', ...(readdirSync(folder, { recursive: true }) as string[])]) {
    if (user) chownSync(join(folder, name), user.uid, user.gid)
  }
  return folder
}

/** The user to run servers as that refuse to run as root. */
export function ordinaryUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
