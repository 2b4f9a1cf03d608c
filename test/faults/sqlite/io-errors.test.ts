import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createIoErrors, mayInjectIoErrors } from './io-errors.ts'
import { temporaryFile } from './processes.ts'

const workload = fileURLToPath(new URL('io-errors-workload.ts', import.meta.url))

describe.skipIf(!mayInjectIoErrors())(
  'a disk whose reads, writes and syncs fail now and then',
  () => {
    it.each([1, 2, 3])(
      'makes calls unavailable, loses nothing and invents nothing: seed %i',
      async (seed) => {
        const file = temporaryFile()
        const env = createIoErrors(dirname(file), 0.06).env(seed)
        const { stdout } = await promisify(execFile)(
          process.execPath,
          [workload, file, env.FAULT_SWITCH!],
          { env: { ...process.env, ...env } },
        )
        const { violations, unknown } = JSON.parse(stdout)
        // No other failure, although SQLite takes some failed reads for damage.
        expect(violations).toEqual([])
        expect(unknown).toBeGreaterThan(10)
      },
    )
  },
)
