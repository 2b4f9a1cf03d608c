import { expect, it } from 'vitest'
import { NO_SIGNALS, skipBecause } from '../../shared/skip.ts'
import { runRestarts } from './run.ts'

skipBecause(process.platform === 'win32' && NO_SIGNALS)

// A short run of: npm run restarts
it('no client behind a proxy notices that servers are restarted', async () => {
  const options = { proxy: 'own', storage: 'SQLite', restarts: 6, clients: 16 } as const
  const { answered, errors } = await runRestarts(options)
  expect(errors).toEqual([])
  expect(answered).toBeGreaterThan(100)
})
