import { describe, expect, it, onTestFinished } from 'vitest'
import { isNightly } from '../shared/nightly.ts'
import type { Ending } from './connection.ts'
import { repeat, request } from './requests.ts'
import { type HostName, startTarget } from './target.ts'

/** A queue whose cost is quadratic took 18 to 36 s; Node's own work takes up to 6 s on a busy machine. */
const STALL_MS = 15_000

const onNode: HostName[] = isNightly
  ? ['node', 'node22', 'node26', 'handler', 'express', 'fastify']
  : ['node', 'fastify']
const long = isNightly ? 50_000 : 10_000
/** How a client leaves with its requests unanswered. */
const hangUps: Ending[] = isNightly ? ['reset', 'half-close'] : ['half-close']

describe('Pipelined requests and a hang-up keep nobody else waiting', () => {
  it.each<[count: number, token: string, host: HostName]>([
    ...onNode.map((host): [number, string, HostName] => [long, 'late', host]),
    // Fewer, since the cost is Node's own and grows with the square of their number: 100 000 stall a bare
    // node:http server whose handler never answers for 4 to 50 s. Here the time limit ends them: 2 s.
    [20_000, 'never', 'node'],
  ])('%i with the token %s on %s', async (count, token, host) => {
    const target = await startTarget(host)
    onTestFinished(() => target.stop())
    // The client doesn't read, so the responses pile up in the server.
    const send = repeat(request({ token }), count)
    const steps = [{ stopReading: true } as const, { send }, { waitMs: 1000 }]
    for (const ending of hangUps) {
      const longestWaitMs = await target.attack([{ name: ending, steps, ending }])
      expect(longestWaitMs).toBeLessThan(STALL_MS)
    }
  })
})
