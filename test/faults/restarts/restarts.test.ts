import { expect, it } from 'vitest'
import { isNightly } from '../../shared/nightly.ts'
import { NO_SIGNALS, skipBecause } from '../../shared/skip.ts'
import { PROXIES } from './proxies.ts'
import { type RestartOptions, runRestarts } from './restarts.ts'

skipBecause(process.platform === 'win32' && NO_SIGNALS)

const SHORT: RestartOptions = { proxy: 'own', restarts: 6, clients: 16 }
const LONG = { ...SHORT, restarts: 200, clients: 32 }
const behindOthers: RestartOptions[] = [
  { ...LONG, proxy: 'nginx' },
  { ...LONG, proxy: 'haproxy' },
]

// Runs of: npm run restarts
it.for([SHORT, ...(isNightly ? behindOthers : [])])(
  'no client notices $restarts restarts of servers behind a proxy: $proxy',
  { timeout: 900_000 },
  async (options, { skip }) => {
    const { missing } = PROXIES[options.proxy]
    if (missing) skip(missing)
    const { answered, errors } = await runRestarts(options)
    expect(errors).toEqual([])
    expect(answered).toBeGreaterThan(100)
  },
)
