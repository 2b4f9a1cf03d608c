import { setTimeout as delay } from 'node:timers/promises'
import { endCommand, startCommand } from '../shared/command.ts'
import { freePort } from '../shared/free-port.ts'

/** An app that serves. */
export interface AppServer {
  readonly origin: string
  /** Its output so far. */
  output(): string
  stop(): Promise<void>
}

const START_MS = 120_000

/** Runs `npm start` on a free port, and waits for the first response. */
export async function startServer(cwd: string, env: NodeJS.ProcessEnv): Promise<AppServer> {
  // The frameworks' own commands can't report a port that they chose.
  const port = await freePort()
  const command = startCommand('npm', ['start'], cwd, {
    ...env,
    PORT: String(port),
    HOST: '127.0.0.1',
  })
  const origin = `http://127.0.0.1:${port}`
  const started = new AbortController()
  try {
    await Promise.race([
      untilItResponds(origin, started.signal),
      command.exit.then((code) => {
        throw new Error(`npm start ended with ${code}`)
      }),
    ])
  } catch (error) {
    await endCommand(command)
    throw new Error(`The app did not start:\n${command.output()}`, { cause: error })
  } finally {
    started.abort()
  }
  return { origin, output: command.output, stop: () => endCommand(command) }
}

async function untilItResponds(origin: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + START_MS
  while (!signal.aborted) {
    const responded = await fetch(origin, { signal: AbortSignal.timeout(5000) }).then(
      (response) => response.text().then(() => true),
      () => false,
    )
    if (responded) return
    if (Date.now() > deadline) throw new Error(`No response from ${origin}`)
    await delay(200)
  }
}
