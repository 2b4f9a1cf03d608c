import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { PATH, ROOT } from '../runtimes/program.ts'
import { ask, startProcess, stop } from '../shared/processes.ts'
import { type HostName, hosts } from './hosts.ts'
import type { Report } from './server.ts'

/** A server is stalled when it doesn't report within this time. */
const STALLED_MS = 60_000
/** A process that has opened and closed nothing for so long is idle. */
const SETTLED_MS = 100

/** A server in a process of its own. */
export interface ServerProcess {
  readonly port: number
  /** Rejects when the process has ended or is stalled. */
  report(): Promise<Report>
  /** How many file descriptors are open; undefined where there is no /proc. */
  descriptors(): number | undefined
  /** The same, once the process has closed what it needed to start. */
  idleDescriptors(): Promise<number | undefined>
  /** Why the process has ended, or undefined while it lives. */
  death(): string | undefined
  readonly exited: Promise<unknown>
  kill(): Promise<void>
}

/** Starts a host of the suite. */
export async function startServer(host: HostName): Promise<ServerProcess> {
  const child = startProcess(hosts[host].split(' '), {
    cwd: ROOT,
    env: { ...process.env, PATH },
    // Nobody reads what `onError` prints, and a pipe would slow the server down.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const exited = once(child, 'exit')
  let death: string | undefined
  child.on('message', ({ error }: { error?: string }) => {
    death ??= error
  })
  return {
    port: await ask<number>(child, { what: 'port' }, AbortSignal.timeout(STALLED_MS)),
    async report() {
      if (death !== undefined) throw new Error(death)
      return ask(child, { what: 'report' }, AbortSignal.timeout(STALLED_MS))
    },
    descriptors: () => countDescriptors(child.pid!),
    async idleDescriptors() {
      let count: number | undefined
      do {
        count = countDescriptors(child.pid!)
        await sleep(SETTLED_MS)
      } while (countDescriptors(child.pid!) !== count && death === undefined)
      return count
    },
    death: () => death,
    exited,
    kill: () => stop(child),
  }
}

function countDescriptors(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return undefined
  }
}
