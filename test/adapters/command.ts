import { resolve } from 'node:path'
import { afterAll } from 'vitest'
import { killServers, type ServerRun, startServer } from '../shared/server-process.ts'
import { folderOfTests } from '../shared/temporary-folder.ts'

/** Prepares the command `plant-store`, from its source, in an empty folder. Its servers end with the tests of the file. */
export function useCommand() {
  const directory = folderOfTests()
  const file = resolve(import.meta.dirname, '../../adapters/cli.ts')
  const server = { command: [process.execPath, file], directory }
  afterAll(killServers)
  return { ...server, start: (run?: ServerRun) => startServer(server, run) }
}
