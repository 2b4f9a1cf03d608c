import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Program, startProgram } from '../../runtimes/program.ts'
import { random } from '../../shared/random.ts'
import { httpStorage } from '../http-storage.ts'
import { startLoad } from '../load.ts'
import type { WorldOptions, WorldResult } from '../world.ts'
import { createIoErrors, mayInjectIoErrors } from './io-errors.ts'
import { integrityOf } from './soundness.ts'

const SERVERS = 2
const IO_ERROR_RATE = 0.05

/** Starts `server.ts` on the file. */
export function startServer(file: string, env: Record<string, string> = {}): Promise<Program> {
  return startProgram([process.execPath, 'test/faults/sqlite/server.ts', file], env)
}

/** Kills servers that share a SQLite file, one or all at a time, while its I/O fails now and then. */
export async function killSqliteServers(options: WorldOptions): Promise<WorldResult> {
  const { seed, accidents, onAccident } = options
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-faults-'))
  const file = join(directory, 'plants.db')
  const dice = random(seed)
  // Another, since callers draw in an order that differs from run to run.
  const choice = random(seed)
  const ioErrors = mayInjectIoErrors() ? createIoErrors(directory, IO_ERROR_RATE) : undefined
  // A third of the time to start: no types are stripped again.
  const cache = { NODE_COMPILE_CACHE: join(directory, 'compiled') }
  const servers: Program[] = []
  const deaths: string[] = []

  async function start(count: number): Promise<void> {
    const starts = Array.from({ length: count }, async () => {
      const faults = ioErrors?.env(dice.below(2 ** 31))
      const server = await startServer(file, { ...faults, ...cache })
      servers.push(server)
      server.ended.then(() => {
        if (servers.includes(server)) deaths.push('A server ended that was not killed')
      })
    })
    await Promise.all(starts)
  }

  async function kill(victims: Program[]): Promise<void> {
    await Promise.all(victims.map((server) => server.kill()))
  }

  async function server(): Promise<string> {
    while (servers.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    return choice.pick(servers).url
  }

  try {
    await start(SERVERS)
    const load = startLoad(httpStorage(server), seed)
    for (let killed = 0; killed < accidents; onAccident?.(killed)) {
      if (dice.below(3) === 0) ioErrors?.turnOn()
      await load.answered(10 + dice.below(150))
      const all = dice.below(4) === 0
      const victims = all ? servers.splice(0) : servers.splice(dice.below(SERVERS), 1)
      await kill(victims)
      killed += victims.length
      ioErrors?.turnOff()
      await start(victims.length)
    }
    // Restarts, so that the final check reads from the disk.
    await kill(servers.splice(0))
    await start(1)
    const result = await load.finish()
    await kill(servers.splice(0))
    const integrity = integrityOf(file)
    if (integrity !== 'ok') deaths.push(`The file is not sound: ${integrity}`)
    const faults: Record<string, number> = ioErrors?.count() ?? {}
    return { ...result, faults, violations: [...deaths, ...result.violations] }
  } finally {
    await kill(servers.splice(0))
    rmSync(directory, { recursive: true })
  }
}
