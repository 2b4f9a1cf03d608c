import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Program, startProgram } from '../../runtimes/program.ts'
import { random } from '../../shared/random.ts'
import { type AccidentOptions, runAccidents } from '../accidents.ts'
import { httpStorage } from '../http-storage.ts'
import type { LoadResult } from '../load.ts'
import { integrityOf } from './contents.ts'
import { createIoErrors, mayInjectIoErrors } from './io-errors.ts'

const SERVERS = 2
const IO_ERROR_RATE = 0.05

/** Starts `server.ts` on the file. */
export function startServer(file: string, env: Record<string, string> = {}): Promise<Program> {
  return startProgram([process.execPath, 'test/faults/sqlite/server.ts', file], env)
}

/** Kills servers that share a SQLite file, one or all at a time, while its I/O fails now and then. */
export async function killSqliteServers(options: AccidentOptions): Promise<LoadResult> {
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-faults-'))
  const file = join(directory, 'plants.db')
  const dice = random(options.seed)
  // Another, since callers draw in an order that differs from run to run.
  const choice = random(options.seed)
  const ioErrors = mayInjectIoErrors() ? createIoErrors(directory, IO_ERROR_RATE) : undefined
  // A third of the time to start: no types are stripped again.
  const cache = { NODE_COMPILE_CACHE: join(directory, 'compiled') }
  const servers: Program[] = []
  const violations: string[] = []

  async function start(count: number): Promise<void> {
    const starts = Array.from({ length: count }, async () => {
      const faults = ioErrors?.env(dice.below(2 ** 31))
      servers.push(await startServer(file, { ...faults, ...cache }))
    })
    await Promise.all(starts)
  }

  async function kill(victims: Program[]): Promise<void> {
    await Promise.all(victims.map((server) => server.kill()))
    for (const { ended } of victims) {
      if ((await ended) !== null) violations.push('A server ended that was not killed')
    }
  }

  async function server(): Promise<string> {
    while (servers.length === 0) await delay(5)
    return choice.pick(servers).url
  }

  try {
    await start(SERVERS)
    const result = await runAccidents(httpStorage(server), options, async () => {
      if (dice.below(3) === 0) {
        ioErrors?.turnOn()
        await delay(dice.below(500))
      }
      const victims =
        dice.below(4) === 0 ? servers.splice(0) : servers.splice(dice.below(SERVERS), 1)
      await kill(victims)
      ioErrors?.turnOff()
      await start(victims.length)
    })
    await kill(servers.splice(0))
    const integrity = integrityOf(file)
    if (integrity !== 'ok') violations.push(`The file is not sound: ${integrity}`)
    return { ...result, violations: [...violations, ...result.violations] }
  } finally {
    await kill(servers.splice(0))
    rmSync(directory, { recursive: true })
  }
}
