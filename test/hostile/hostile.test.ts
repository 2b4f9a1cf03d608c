import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isNightly } from '../shared/nightly.ts'
import { everyOffset, hostileConnections } from './draw.ts'
import { QUICK_HOSTS, storeHosts } from './hosts.ts'
import { startTarget, type Target } from './target.ts'

const SEED = 1
const WARM_UP = 100
const CONNECTIONS = isNightly ? 1000 : 100
/** Not a measurement: a server that keeps a client waiting for so long is as good as dead. */
const LIVENESS_MS = 10_000

describe.each(isNightly ? storeHosts : QUICK_HOSTS)('Hostile connections to %s', (host) => {
  let target: Target
  beforeAll(async () => {
    target = await startTarget(host, hostileConnections(SEED, -WARM_UP, WARM_UP))
  })
  afterAll(() => target?.stop())

  it('that break off at any byte of a request leave it alive, small and quick', async () => {
    const { longestWaitMs } = await target.attack(everyOffset())
    expect(longestWaitMs).toBeLessThan(LIVENESS_MS)
  })

  it(`of every kind leave it alive, small and quick (seed ${SEED})`, async () => {
    const { longestWaitMs } = await target.attack(hostileConnections(SEED, 0, CONNECTIONS))
    expect(longestWaitMs).toBeLessThan(LIVENESS_MS)
  })
})
