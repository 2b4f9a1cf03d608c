#!/usr/bin/env node
/** The command: the plant store as a server of its own. `npx plant-store --help` lists the options. */
import process from 'node:process'
import { HELP } from './cli/help.ts'
import { assertNode } from './cli/node-version.ts'
import { packageVersion } from './cli/package-file.ts'
import { readSettings } from './cli/settings.ts'
import { startServer } from './cli/start-server.ts'

try {
  assertNode(process.versions.node)
  const settings = readSettings(process.argv.slice(2), process.env)
  if (settings === 'help') console.log(HELP)
  else if (settings === 'version') console.log(await packageVersion())
  else await startServer(settings)
} catch (error) {
  console.error(`The plant store can't start: ${(error as Error).message}`)
  process.exitCode = 1
}
