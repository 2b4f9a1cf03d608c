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
    // What is linear takes some ms more, or a hundred on a busy machine; what is quadratic takes minutes.
    const limit = 8 * byHand + 500
    expect(await fastest(() => create(body))).toBeLessThan(limit)
  },
)

/** Returns the time of the fastest of five runs. */
async function fastest(run: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < 5; i++) {
    const start = performance.now()
    await run()
    best = Math.min(best, performance.now() - start)
  }
  return best
}
