import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createPlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { isNightly } from '../shared/nightly.ts'
import { costlyBodies } from './bodies.ts'
import { type Connection, type Ending, play } from './connection.ts'
import { type HostName, QUICK_HOSTS, storeHosts } from './hosts.ts'
import { chunkedRequest, repeat, request } from './requests.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { startTarget } from './target.ts'

const MiB = 2 ** 20
/** Not a measurement: a server that keeps a client waiting for so long is as good as dead. */
const LIVENESS_MS = 5000
/** A queue whose cost is quadratic took 18 to 36 s; Node's own work takes up to 6 s on a busy machine. */
const STALL_MS = 15_000

const onNode: HostName[] = isNightly
  ? ['node', 'node22', 'node26', 'handler', 'express', 'fastify']
  : ['node', 'fastify']
const testedHosts = isNightly ? storeHosts : QUICK_HOSTS

async function start(host: HostName): Promise<ServerProcess> {
  const server = await startServer(host)
  onTestFinished(() => server.kill())
  return server
}

/** Starts one server for all tests of a group. */
function startForAll(host: HostName): () => ServerProcess {
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServer(host)
    return () => server.kill()
  })
  return () => server
}

function get(server: ServerProcess, target: string, token: string, method = 'GET') {
  // A connection that is kept alive would be a descriptor that is gone later.
  const headers = { authorization: `Bearer ${token}`, connection: 'close' }
  const signal = AbortSignal.timeout(LIVENESS_MS)
  return fetch(`http://127.0.0.1:${server.port}${target}`, { method, headers, signal })
}

async function playTimes(times: number, connection: Connection, server: ServerProcess) {
  await Promise.all(Array.from({ length: times }, () => play(connection, server.port)))
}

/** How a client leaves with its requests unanswered. */
const hangUps: Ending[] = isNightly ? ['reset', 'half-close'] : ['half-close']
const pipelined = isNightly ? 50_000 : 10_000

describe.each(onNode)(`${pipelined} pipelined requests to %s, and a hang-up`, (host) => {
  it.each(hangUps)('keep nobody else waiting: %s', async (ending) => {
    await expectNoStall(host, 'late', ending, pipelined)
  })
})

// Fewer, since the cost is Node's own and grows with the square of their number: 100 000 stall a bare
// node:http server whose handler never answers for 4 to 50 s. Here the time limit ends them: 2 s.
describe.each<HostName>(isNightly ? ['node', 'handler'] : ['node'])(
  '20 000 pipelined requests to %s that are never answered',
  (host) => {
    it.each(hangUps)('keep nobody else waiting: %s', async (ending) => {
      await expectNoStall(host, 'never', ending, 20_000)
    })
  },
)

async function expectNoStall(
  host: HostName,
  token: string,
  ending: Ending,
  count: number,
): Promise<void> {
  const target = await startTarget(host)
  onTestFinished(() => target.stop())
  // The client doesn't read, so the responses pile up in the server.
  const send = repeat(request({ token }), count)
  const steps = [{ stopReading: true } as const, { send }, { waitMs: 1000 }]
  const { longestWaitMs } = await target.attack([{ name: token, steps, ending }])
  expect(longestWaitMs).toBeLessThan(STALL_MS)
}

const oneByteHosts: HostName[] = isNightly
  ? ['node', 'express', 'fastify', 'bun', 'deno']
  : ['node']
const oneByteBodies = isNightly ? 10 : 2

describe.each(testedHosts.filter((host) => host !== 'http2'))('%s', (host) => {
  const running = startForAll(host)

  it('answers HEAD without a walk', async () => {
    const server = running()
    const before = await settledReads(server)
    const response = await get(server, '/plants', 'many', 'HEAD')
    expect(response.status).toBe(200)
    expect((await settledReads(server)) - before).toBeLessThanOrEqual(2)
  })

  if (oneByteHosts.includes(host)) {
    it(`reads ${oneByteBodies} bodies in one-byte chunks in little memory`, async () => {
      const server = await start(host)
      const body = Buffer.from(`{"id":1,"name":"${'a'.repeat(MiB - 20)}"}`)
      const steps = [{ send: chunkedRequest(body, 1) }, { waitMs: 500 }]
      const inChunks: Connection = { name: 'chunks', steps, ending: 'reset when answered' }
      await playTimes(1, inChunks, server)
      const before = await server.report()
      await playTimes(oneByteBodies, inChunks, server)
      const after = await server.report()
      expect((after.peakBytes - before.peakBytes) / MiB).toBeLessThan(256)
    })
  }
})

/** Returns the number of storage reads, once it no longer grows. */
async function settledReads(server: ServerProcess): Promise<number> {
  for (let before = -1; ; await sleep(200)) {
    const { reads } = await server.report()
    if (reads === before) return reads
    before = reads
  }
}

describe('A body of 1 MiB', () => {
  const store = createPlantStore(memoryStorage(), () => ({ owner: 'alice' }))
  function create(body: string): Promise<Response> {
    const headers = { authorization: 'Bearer t', 'content-type': 'application/json' }
    return store.fetch(new Request('http://garden/plants', { method: 'POST', headers, body }))
  }

  it.each(Object.entries(costlyBodies))(
    'takes no more than some times what JSON.parse takes: %s',
    async (_name, make) => {
      const body = make()
      const byHand = await fastest(() => void parse(body))
      // The rest of a request costs a few ms, as the decoding of the body does.
      const limit = 8 * byHand + 20
      const byStore = await fastest(async () => void (await (await create(body)).text()), limit)
      expect(byStore).toBeLessThan(limit)
    },
  )
})

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the time of the fastest of five runs, or of the first one below `enough`. */
async function fastest(run: () => void | Promise<void>, enough = 0): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < 5 && best >= enough; i++) {
    const start = performance.now()
    await run()
    best = Math.min(best, performance.now() - start)
  }
  return best
}
