import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toWorker } from '../../adapters/workers.ts'
import { type AuthVerifier, createPlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { quiet, startWorker } from '../runtimes/workerd-start.ts'

const AUTHORIZED = { authorization: 'Bearer s3cret' }

/** Like Cloudflare's, its method needs its `this`. */
class Context {
  readonly works: Promise<unknown>[] = []

  waitUntil(work: Promise<unknown>): void {
    this.works.push(work)
  }
}

describe('a store in a Worker', () => {
  const list = () => new Request('http://localhost/plants', { headers: AUTHORIZED })

  it('may be the default export: its work and its hooks keep the Worker running', async () => {
    const ctx = new Context()
    const store = createPlantStore(memoryStorage(), () => ({ owner: 'alice' }), {
      async onResponse() {},
    })
    expect((await store.fetch(list(), {}, ctx)).status).toBe(200)
    // That of the response, and that of the hook.
    expect(ctx.works).toHaveLength(2)
    // Bun passes its server, and Deno no third argument.
    expect((await store.fetch(list(), { port: 3000 })).status).toBe(200)
  })

  it('is taken by toWorker as it is, for a caller too, and may be called without a context, as in a unit test', async () => {
    const worker = toWorker(createPlantStore(memoryStorage(), () => null).as({ owner: 'alice' }))
    const call: (request: Request) => Promise<Response> = worker.fetch as any
    expect((await call(list())).status).toBe(200)
  })
})

describe('a Worker', () => {
  it('has a store for each environment, and keeps running for the hooks after the response', async () => {
    const environments: object[] = []
    const requests: Request[] = []
    const ctx = new Context()
    const worker = toWorker((env) => {
      environments.push(env)
      const verify: AuthVerifier = (_token, { request }) => {
        requests.push(request)
        return { owner: 'alice' }
      }
      return createPlantStore(memoryStorage(), verify, { async onResponse() {} })
    })
    const call = (env: object, path: string) => {
      const request = new Request(`http://localhost${path}`, { headers: AUTHORIZED })
      return worker.fetch(request, env, ctx)
    }
    const [env, other] = [{}, {}]
    for (const each of [env, env, other]) expect((await call(each, '/plants')).status).toBe(200)
    expect((await call(env, '/nowhere')).status).toBe(404)
    expect(environments.map((each) => each === env)).toEqual([true, false])
    // That of the response, and that of the hook.
    expect(ctx.works).toHaveLength(2 * 4)
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual(
      Array(3).fill('GET http://localhost/plants'),
    )
    expect(requests[0]!.headers.get('authorization')).toBe(AUTHORIZED.authorization)
  })
})

describe('a Worker in workerd', () => {
  let worker: Awaited<ReturnType<typeof startWorker>>

  beforeAll(async () => {
    worker = await startWorker(
      new URL('../runtimes/workerd-adapter-worker.ts', import.meta.url),
      quiet,
    )
  })
  afterAll(() => worker.stop())

  it('builds its store once, and passes Cloudflare’s properties of the request to the verifier', async () => {
    const created = await fetch(`${worker.url}/plants`, {
      method: 'POST',
      headers: { ...AUTHORIZED, 'content-type': 'application/json' },
      body: '{"id": 7, "name": "Monstera"}',
    })
    const listed = await fetch(`${worker.url}/plants?limit=1`, { headers: AUTHORIZED })

    expect([created.status, listed.status]).toEqual([200, 200])
    const { stores, cf } = await seen()
    expect(stores).toBe(1)
    expect(cf.GET).toHaveProperty('colo')
    expect(cf.POST).toEqual(cf.GET)
  })

  it('finishes the promise of onError after the response, and truncates a list that fails', async () => {
    const countTold = async () => (await seen()).told
    const { status } = await fetch(`${worker.url}/plants/7`, {
      ...{ method: 'DELETE', headers: AUTHORIZED },
    })
    expect(status).toBe(500)
    await expect.poll(countTold).toBe(1)
    const headers = { authorization: 'Bearer unlucky' }
    const list = await fetch(`${worker.url}/plants`, { headers })
    expect(list.status).toBe(200)
    // workerd ends such a response as if it were whole (https://github.com/cloudflare/workerd/issues/6818).
    await expect(list.json()).rejects.toThrow()
    await expect.poll(countTold).toBe(2)
  })

  it('reads a list in pages of 101 and then 128 plants, each of which is a subrequest to D1', async () => {
    const list = await fetch(`${worker.url}/plants`, { headers: { authorization: 'Bearer paged' } })
    expect(await list.json()).toHaveLength(101)
    expect((await seen()).pages).toEqual([101, 128])
  })

  it('lets no request wait for another, whose work it may not use', async () => {
    const headers = { authorization: 'Bearer slow', 'content-type': 'application/json' }
    const creates = Array.from({ length: 40 }, (_, id) =>
      fetch(`${worker.url}/plants`, { method: 'POST', headers, body: `{"id":${id},"name":"A"}` }),
    )
    const lists = Array.from({ length: 10 }, () => fetch(`${worker.url}/plants`, { headers }))
    for (const { status } of await Promise.all(creates)) expect(status).toBe(200)
    for (const list of await Promise.all(lists)) {
      expect(((await list.json()) as object[]).length).toBeGreaterThan(100)
    }
  })

  async function seen() {
    const response = await fetch(`${worker.url}/seen`)
    return (await response.json()) as {
      stores: number
      told: number
      cf: Record<string, unknown>
      pages: number[]
    }
  }
})
