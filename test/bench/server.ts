import { fileURLToPath } from 'node:url'
import { ask, type Core, start, stop } from './processes.ts'

/** A server in a process of its own. */
export interface Server {
  name: string
  port: number
  /** The CPU time that the server has used so far, in µs. */
  cpu(): Promise<number> | number
  /** Asks the server's process for something else: see server-process.ts. */
  ask<Answer>(what: string): Promise<Answer>
  stop(): Promise<void>
}

/** Starts `servers/<module>.ts` with the storage that `storage` describes: see server-process.ts. */
export async function startServer(
  name: string,
  module: string,
  storage = 'map',
  core: Core = 'server',
): Promise<Server> {
  const script = fileURLToPath(new URL('server-process.ts', import.meta.url))
  const args = ['--expose-gc', '--disable-warning=ExperimentalWarning', script, module, storage]
  const child = start(core, process.execPath, args, { ipc: true })
  return {
    name,
    port: await ask<number>(child, { what: 'port' }),
    cpu: () => ask<number>(child, { what: 'cpu' }),
    ask: (what) => ask(child, { what }),
    stop: () => stop(child),
  }
}
