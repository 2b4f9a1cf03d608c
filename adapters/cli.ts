#!/usr/bin/env node
/** The command: the plant store as a server. `npx plant-store --help` lists the options. */
import process from 'node:process'
import { assertRuntime } from '../src/lib/runtime.ts'
import { runCheck } from './cli/check.ts'
import { readPackageFile } from './cli/documents.ts'
import { startServer } from './cli/server.ts'
import { readSettings, type Settings } from './cli/settings.ts'

hideSqliteWarning()
const [command, ...rest] = process.argv.slice(2)
try {
  assertRuntime()
  if (command === 'check') {
    if (!(await runCheck(rest, console.log))) process.exitCode = 1
  } else {
    await apply(readSettings(process.argv.slice(2), process.env))
  }
} catch (error) {
  const { message } = error as Error
  console.error(command === 'check' ? message : `The plant store can't start: ${message}`)
  process.exitCode = 1
}

async function apply(settings: Settings | 'help' | 'version'): Promise<void> {
  if (settings === 'help') console.log((await readPackageFile('adapters/cli/help.txt')).trimEnd())
  else if (settings === 'version') {
    console.log(JSON.parse(await readPackageFile('package.json')).version)
  } else await startServer(settings)
}

/** Node 22 calls its SQLite experimental, in what would be the first line of the output. Later ones don't. */
function hideSqliteWarning(): void {
  const { emitWarning } = process
  process.emitWarning = (warning: string | Error, ...rest: any[]) => {
    if (!String(warning).startsWith('SQLite is')) emitWarning(warning, ...rest)
  }
}
