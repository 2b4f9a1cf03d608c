import { dirname } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshFile } from '../../src/storage/sqlite-files.ts'
import { httpStorage } from '../http-storage.ts'
import { startLoad } from '../load.ts'
import { createIoErrors, mayInjectIoErrors } from './io-errors.ts'
import { startServer } from './kills.ts'

describe.skipIf(!mayInjectIoErrors())('a disk whose I/O fails now and then', () => {
  it.each([1, 2, 3])(
    'makes calls unavailable, loses nothing and invents nothing: seed %i',
    async (seed) => {
      const file = freshFile()
      const ioErrors = createIoErrors(dirname(file), 0.06)
      const { url, kill } = await startServer(file, ioErrors.env(seed))
      onTestFinished(kill)
      const load = startLoad(
        httpStorage(async () => url),
        seed,
      )
      await load.answered(100)
      ioErrors.turnOn()
      await load.answered(600)
      ioErrors.turnOff()
      const { violations, unknown } = await load.finish()
      // No other failure, although SQLite takes some failed reads for damage.
      expect(violations).toEqual([])
      expect(unknown).toBeGreaterThan(10)
    },
  )
})
