import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, it } from 'node:test'
import { serve } from '@hono/node-server'
import { getActiveSpan, setupFastifyErrorHandler } from '@sentry/node'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { createPlantStore } from 'plant-store'
import { toFastifyPlugin } from 'plant-store/fastify'

const warnings: string[] = []
process.on('warning', ({ name }) => warnings.push(name))

/** Lists 300 plants in several pages, and remembers in which trace each page was read. */
function tracedStore() {
  const traces: (string | undefined)[] = []
  const name = 'x'.repeat(10_000)
  const plants = Array.from({ length: 300 }, (_, id) => ({ id: BigInt(id + 1), name }))
  const storage = {
    create: () => true,
    delete: () => true,
    async list(_owner: string, { after = 0n, limit }: { after?: bigint; limit: number }) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      traces.push(getActiveSpan()?.spanContext().traceId)
      return plants.filter(({ id }) => id > after).slice(0, limit)
    },
  }
  const options = { onResponse: () => void traces.push(getActiveSpan()?.spanContext().traceId) }
  return { traces, store: createPlantStore(storage, () => ({ owner: 'alice' }), options) }
}

const apps: Record<string, (store: ReturnType<typeof createPlantStore>) => Promise<string>> = {
  async Fastify(store) {
    const app = Fastify()
    setupFastifyErrorHandler(app)
    app.register(toFastifyPlugin(store), { prefix: '/api' })
    after(() => app.close())
    return app.listen({ port: 0 })
  },
  async Hono(store) {
    const app = new Hono()
    app.mount('/api', store.fetch)
    const server = serve({ fetch: app.fetch, port: 0 })
    after(() => server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  },
}

for (const [name, start] of Object.entries(apps)) {
  it(`reads every page in the trace of its request, without warnings, in ${name}`, async () => {
    const { traces, store } = tracedStore()
    const url = await start(store)
    for (let count = 0; count < 3; count++) {
      traces.length = 0
      const headers = { authorization: 'Bearer any' }
      const plants = await (await fetch(`${url}/api/plants`, { headers })).json()
      assert.equal((plants as unknown[]).length, 300)
      assert.ok(traces.length > 2)
      assert.ok(traces[0])
      assert.deepEqual([...new Set(traces)], [traces[0]])
    }
    assert.deepEqual(warnings, [])
  })
}
