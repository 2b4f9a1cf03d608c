import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Makes reads, writes and syncs of a process fail. */
export interface IoErrors {
  /** The environment of a process. */
  env(seed: number): Record<string, string>
  turnOn(): void
  turnOff(): void
  /** How many faults there were, by kind. */
  count(): { EIO: number; ENOSPC: number; 'short read or write': number }
}

/** Whether `io-errors.c` can be compiled and loaded here. */
export function mayInjectIoErrors(): boolean {
  return process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0
}

/** Compiles `io-errors.c` into the directory. The faults are off at first. `rate` is their probability. */
export function createIoErrors(directory: string, rate: number): IoErrors {
  const library = join(directory, 'io-errors.so')
  const source = fileURLToPath(new URL('io-errors.c', import.meta.url))
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl'])
  const [onOff, log] = [join(directory, 'faults'), join(directory, 'faults.log')]
  return {
    env: (seed) => ({
      LD_PRELOAD: library,
      FAULT_SWITCH: onOff,
      FAULT_LOG: log,
      FAULT_SEED: `${seed}`,
      FAULT_RATE: `${rate}`,
    }),
    turnOn: () => writeFileSync(onOff, ''),
    turnOff: () => rmSync(onOff, { force: true }),
    count() {
      const letters = existsSync(log) ? readFileSync(log, 'latin1') : ''
      const [eio, enospc, short] = [...'INS'].map((letter) => letters.split(letter).length - 1)
      return { EIO: eio!, ENOSPC: enospc!, 'short read or write': short! }
    },
  }
}
