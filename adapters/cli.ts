#!/usr/bin/env node
/** The command: the plant store as a server of its own. `npx plant-store --help` lists the options. */
import process from 'node:process'
import { runCheck } from './cli/check.ts'
import { HELP } from './cli/help.ts'
import { assertNode } from './cli/node-version.ts'
import { packageVersion } from './cli/package-file.ts'
import { readSettings } from './cli/settings.ts'
import { startServer } from './cli/start-server.ts'

const [command, ...rest] = process.argv.slice(2)
try {
  assertNode(process.versions.node)
  if (command === 'check') {
    if (!(await runCheck(rest, console.log))) process.exitCode = 1
  } else {
    await applySettings(readSettings(process.argv.slice(2), process.env))
  }
} catch (error) {
  const { message } = error as Error
  console.error(command === 'check' ? message : `The plant store can't start: ${message}`)
  process.exitCode = 1
}

async function applySettings(settings: ReturnType<typeof readSettings>): Promise<void> {
  if (settings === 'help') console.log(HELP)
  else if (settings === 'version') console.log(await packageVersion())
  else await startServer(settings)
}
