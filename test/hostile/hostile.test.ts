import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isNightly } from '../shared/nightly.ts'
import { everyOffset, hostileConnections } from './attacks.ts'
import { LIVENESS_MS, QUICK_HOSTS, startTarget, storeHosts, type Target } from './target.ts'

const SEED = 1
const WARM_UP = 100
const CONNECTIONS = isNightly ? 1000 : 100

describe.each(isNightly ? storeHosts : QUICK_HOSTS)('Hostile connections to %s', (host) => {
  let target: Target
  beforeAll(async () => {
    target = await startTarget(host, hostileConnections(SEED, -WARM_UP, WARM_UP))
  })
  afterAll(() => target?.stop())

  it.each([
    ['that break off at any byte of a request', everyOffset()],
    [`of every kind (seed ${SEED})`, hostileConnections(SEED, 0, CONNECTIONS)],
  ])('%s leave it alive, small and quick', async (_, connections) => {
    const longestWaitMs = await target.attack(connections)
    expect(longestWaitMs).toBeLessThan(LIVENESS_MS)
  })
})
