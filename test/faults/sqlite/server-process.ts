import { type Program, startProgram } from '../../runtimes/program.ts'

/** A server in a process of its own. */
export interface ServerProcess extends Program {
  /** The URL of its plants. */
  plants: string
}

/** Starts `server.ts` on the file. Rejects if it ends before it listens. */
export async function startServerProcess(
  file: string,
  lockTimeoutMs = 5000,
  env: Record<string, string> = {},
): Promise<ServerProcess> {
  const script = 'test/faults/sqlite/server.ts'
  const program = await startProgram([process.execPath, script, file, `${lockTimeoutMs}`], env)
  return { ...program, plants: `${program.url}/plants` }
}
