import { setTimeout as delay } from 'node:timers/promises'
import { endCommand, startCommand } from '../shared/command.ts'
import { freePort } from '../shared/free-port.ts'

const START_MS = 120_000

/** Runs a script of an app on a free port, and waits for the first response. */
export async function startServer(script: string, cwd: string, env: NodeJS.ProcessEnv) {
  // The frameworks' own commands can't report a port that they chose.
  const port = await freePort()
  const command = startCommand(['npm', 'run', script], {
    cwd,
    env: { ...env, PORT: String(port), HOST: '127.0.0.1' },
    detached: true,
  })
  const origin = `http://127.0.0.1:${port}`
  for (const deadline = Date.now() + START_MS; !(await responds(origin)); await delay(200)) {
    if (Date.now() < deadline && command.child.exitCode === null) continue
    await endCommand(command)
    throw new Error(`The app did not start:\n${command.output()}`)
  }
  return { origin, output: command.output, stop: () => endCommand(command) }
}

async function responds(origin: string): Promise<boolean> {
  try {
    await (await fetch(origin, { signal: AbortSignal.timeout(5000) })).text()
    return true
  } catch {
    return false
  }
}
