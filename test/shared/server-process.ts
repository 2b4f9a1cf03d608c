import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type Command, startCommand } from './command.ts'

/** A way to run a server: `command` with its first arguments, in a directory. */
export interface ServerCommand {
  command: readonly string[]
  directory: string
}

/** The differences of one run. */
export interface ServerRun {
  args?: string[]
  env?: Record<string, string>
}

/** The exit code and the signal of a server that SIGTERM has ended. On Windows, that is no more than a kill. */
export const STOPPED = process.platform === 'win32' ? [null, 'SIGTERM'] : [0, null]

function spawnServer({ command, directory }: ServerCommand, { args = [], env = {} }: ServerRun) {
  // The rest of the environment stays: Windows can't do without it.
  const { PORT, HOST, PLANT_STORE_DB, PLANT_STORE_TOKENS, NODE_OPTIONS, ...rest } = process.env
  const started = startCommand([...command, ...args], {
    cwd: directory,
    env: { ...rest, PORT: '0', ...env },
  })
  running.add(started)
  started.child.once('exit', () => running.delete(started))
  return started
}

const running = new Set<Command>()

/** Kills the servers that a failed test has left. */
export function killServers(): void {
  for (const { signal } of running) signal('SIGKILL')
}

export type RunningServer = Awaited<ReturnType<typeof startServer>>

/** Starts the server and reads its introduction. */
export async function startServer(server: ServerCommand, run: ServerRun = {}) {
  const { child, output } = spawnServer(server, run)
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  async function nextLine(): Promise<string> {
    const { value, done } = await lines.next()
    if (done) throw new Error(`The server has ended: ${output()}`)
    return value
  }
  const introduction: string[] = []
  while (!introduction.at(-1)?.startsWith('Try: ')) introduction.push(await nextLine())
  const url = /^Plant store listening on (http:\/\/\S+)$/m.exec(introduction.join('\n'))![1]!
  const exit = once(child, 'exit')
  return {
    url,
    /** The lines that it prints until it says how to call it. */
    introduction,
    nextLine,
    /** Sends a signal; returns the exit code and the signal that has ended it. */
    stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<unknown[]> {
      child.kill(signal)
      return exit
    },
  }
}

/** Runs the server to its end; returns its exit code and the lines that it has printed. */
export async function runToEnd(server: ServerCommand, run: ServerRun) {
  const { exit, output } = spawnServer(server, run)
  const code = await exit
  return { code, lines: output().trimEnd().split('\n') }
}

/** Sends a request with a token. */
export function send(url: string, token: string, method = 'GET', body?: string): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return fetch(url, { method, headers, body })
}
