import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Program, startProgram } from '../../runtimes/program.ts'
import { random } from '../../shared/random.ts'
import { httpStorage } from '../http-storage.ts'
import { type AccidentOptions, type LoadResult, runAccidents } from '../load.ts'
import { integrityOf } from './contents.ts'

const SERVERS = 2
const IO_ERROR_RATE = 0.05

/** Starts `server.ts` on the file. */
export function startServer(file: string, env: Record<string, string> = {}): Promise<Program> {
  return startProgram([process.execPath, 'test/faults/server.ts', file], env)
}

/** Kills servers that share a SQLite file, one or all at a time, while its I/O fails now and then. */
export async function killSqliteServers(options: AccidentOptions): Promise<LoadResult> {
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-faults-'))
  const file = join(directory, 'plants.db')
  const dice = random(options.seed)
  // Another, since callers draw in an order that differs from run to run.
  const choice = random(options.seed)
  const ioErrors = createIoErrors(directory)
  // A third of the time to start: no types are stripped again.
  const cache = { NODE_COMPILE_CACHE: join(directory, 'compiled') }
  const servers: Program[] = []
  const violations: string[] = []

  async function start(count: number): Promise<void> {
    const starts = Array.from({ length: count }, async () => {
      const seed = { FAULT_SEED: `${dice.below(2 ** 31)}` }
      servers.push(await startServer(file, { ...ioErrors?.env, ...seed, ...cache }))
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

/** Compiles `io-errors.c`, where that is possible, which makes reads, writes and syncs of a process fail. */
function createIoErrors(directory: string) {
  if (process.platform !== 'linux' || spawnSync('cc', ['--version']).status !== 0) return undefined
  const library = join(directory, 'io-errors.so')
  const source = join(import.meta.dirname, 'io-errors.c')
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl'])
  const onOff = join(directory, 'faults')
  return {
    env: { LD_PRELOAD: library, FAULT_SWITCH: onOff, FAULT_RATE: `${IO_ERROR_RATE}` },
    turnOn: () => writeFileSync(onOff, ''),
    turnOff: () => rmSync(onOff, { force: true }),
  }
}
