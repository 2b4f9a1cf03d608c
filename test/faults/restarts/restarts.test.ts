import { expect, it } from 'vitest'
import { isNightly } from '../../shared/nightly.ts'
import { NO_SIGNALS, skipBecause } from '../../shared/skip.ts'
import { type ProxyName, proxies } from './proxies.ts'
import { runRestarts } from './restarts.ts'

skipBecause(process.platform === 'win32' && NO_SIGNALS)

const [restarts, clients] = isNightly ? [200, 32] : [6, 16]
const behind: ProxyName[] = isNightly ? ['nginx', 'haproxy'] : ['nginx']

// Runs of: npm run restarts
it.for(behind)(
  `no client notices ${restarts} restarts of servers behind %s`,
  { timeout: 900_000 },
  async (proxy, { skip }) => {
    const { missing } = proxies[proxy]
    if (missing) skip(missing)
    const { operations, problems } = await runRestarts(proxy, restarts, clients)
    expect(problems).toEqual([])
    expect(operations).toBeGreaterThan(100)
  },
)
