import { expect, it } from 'vitest'
import { createPlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { costlyBodies } from './bodies.ts'

const options = { maxBodyBytes: 2 ** 20 }
const store = createPlantStore(memoryStorage(), () => ({ owner: 'alice' }), options)

async function create(body: string): Promise<void> {
  const headers = { authorization: 'Bearer t', 'content-type': 'application/json' }
  const request = new Request('http://garden/plants', { method: 'POST', headers, body })
  const { status } = await store.fetch(request)
  expect(status).toBeOneOf([200, 400])
}

it.each(Object.entries(costlyBodies))(
  'A body takes no more than some times what JSON.parse takes: %s',
  async (_name, make) => {
    const body = make()
    const byHand = await fastest(() => JSON.parse(body))
    // The rest of a request costs a few ms, as the decoding of the body does.
    const limit = 8 * byHand + 20
    expect(await fastest(() => create(body), limit)).toBeLessThan(limit)
  },
)

/** Returns the CPU time, in ms, of the fastest of five runs, or of the first below `enough`. */
async function fastest(run: () => unknown, enough = 0): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < 5 && best >= enough; i++) {
    const start = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(start)
    best = Math.min(best, (user + system) / 1000)
  }
  return best
}
