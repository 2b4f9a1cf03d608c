import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { PATH, ROOT } from '../runtimes/program.ts'
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
  /** How the process ended, or undefined while it lives. */
  death(): string | undefined
  readonly exited: Promise<void>
  kill(signal?: NodeJS.Signals): Promise<void>
}

/** Starts a host of the suite. */
export async function startServer(host: HostName): Promise<ServerProcess> {
  const [command, server] = hosts[host]
  const [program, ...args] = `${command} test/hostile/server.ts ${server}`.split(' ')
  // Nobody reads what `onError` prints, and a pipe would slow the server down.
  const child = spawn(program!, args, {
    cwd: ROOT,
    env: { ...process.env, PATH },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.on('error', () => {})
  const lines = createInterface(child.stdout)
  let death: string | undefined
  let uncaught = ''
  const exited = once(child, 'exit').then(([code, signal]) => {
    death = `the process ended with ${signal ?? `exit code ${code}`}${uncaught}`
  })

  async function nextLine(): Promise<any> {
    const timer = AbortSignal.timeout(STALLED_MS)
    const line = once(lines, 'line', { signal: timer }).then(([text]) => JSON.parse(text))
    const answer = await Promise.race([line, exited])
    if (answer?.died) {
      uncaught = `: ${answer.died}`
      await exited
    }
    if (death !== undefined) throw new Error(death)
    return answer
  }
  function ask(command: string): Promise<any> {
    if (death !== undefined) return Promise.reject(new Error(death))
    const answer = nextLine()
    child.stdin.write(`${command}\n`)
    return answer
  }

  const { port } = await nextLine()
  lines.on('line', (text) => {
    const { died } = JSON.parse(text)
    if (died) uncaught = `: ${died}`
  })
  return {
    port,
    report: () => ask('report'),
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
    async kill(signal = 'SIGKILL') {
      child.kill(signal)
      await exited
    },
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
