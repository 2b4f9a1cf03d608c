import { execFileSync, spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Makes reads, writes and syncs of a process fail. */
export interface IoErrors {
  /** The environment of a process. */
  env(seed: number): Record<string, string>
  turnOn(): void
  turnOff(): void
}

/** Whether `io-errors.c` can be compiled and loaded here. */
export function mayInjectIoErrors(): boolean {
  return process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0
}

/** Compiles `io-errors.c` into the directory. The faults are off at first. `rate` is their probability. */
export function createIoErrors(directory: string, rate: number): IoErrors {
  const library = join(directory, 'io-errors.so')
  const source = join(import.meta.dirname, 'io-errors.c')
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl'])
  const onOff = join(directory, 'faults')
  return {
    env: (seed) => ({
      LD_PRELOAD: library,
      FAULT_SWITCH: onOff,
      FAULT_SEED: `${seed}`,
      FAULT_RATE: `${rate}`,
    }),
    turnOn: () => writeFileSync(onOff, ''),
    turnOff: () => rmSync(onOff, { force: true }),
  }
}
