import { execFile, spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { temporaryFile } from './processes.ts'

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0

describe.skipIf(!hasCompiler)('a disk whose reads, writes and syncs fail now and then', () => {
  it.each([1, 2, 3])(
    'makes calls unavailable, loses nothing and invents nothing: seed %i',
    async (seed) => {
      const file = temporaryFile()
      const library = join(dirname(file), 'io-errors.so')
      const run = promisify(execFile)
      await run('cc', ['-shared', '-fPIC', '-o', library, here('io-errors.c'), '-ldl'])
      const { stdout } = await run(
        process.execPath,
        [here('io-errors-workload.ts'), file, join(dirname(file), 'faults')],
        {
          env: {
            ...process.env,
            LD_PRELOAD: library,
            FAULT_SWITCH: join(dirname(file), 'faults'),
            FAULT_SEED: `${seed}`,
            FAULT_RATE: '0.005',
          },
        },
      )
      const { answered, wrong, failures } = JSON.parse(stdout)
      expect(wrong).toBe(0)
      // Nothing else: reads that went wrong heal by themselves.
      expect(Object.keys(failures)).toEqual(['storage_unavailable'])
      expect(failures.storage_unavailable).toBeGreaterThan(10)
      expect(answered).toBeGreaterThan(3000)
    },
  )
})
