import { expect, it } from 'vitest'
import { NO_SIGNALS, skipBecause } from '../../shared/skip.ts'
import { type ProxyName, proxies } from './proxies.ts'
import { runRestarts } from './restarts.ts'

skipBecause(process.platform === 'win32' && NO_SIGNALS)

// More of them by `npm run restarts`, alone: a proxy that a busy machine stops for 250 ms may send to a closed connection.
it.for(Object.keys(proxies) as ProxyName[])(
  'no client notices 6 restarts of servers behind %s',
  async (proxy, { skip }) => {
    const { missing } = proxies[proxy]
    if (missing) skip(missing)
    const { operations, problems } = await runRestarts(proxy, 6, 16)
    expect(problems).toEqual([])
    expect(operations).toBeGreaterThan(100)
  },
)
