import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { fromRequest } from '../../src/adapter.ts'
import {
  type AuthVerifier,
  createPlantStore,
  type PlantStorage,
  type ResponseEvent,
  StorageUnavailableError,
} from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { failureOf } from '../shared/failure-of.ts'
import { longList } from '../shared/plants.ts'

const manyPlants = longList(1_000_000, 'Aloe'.padEnd(1000))

function observed(storage: PlantStorage = memoryStorage()) {
  const events: ResponseEvent[] = []
  const onError = vi.fn()
  const store = createPlantStore(
    storage,
    (token) => (token === 't' ? { owner: 'alice', scopes: ['plants:read'] } : null),
    { onResponse: (event) => void events.push(event), onError },
  )
  return { store, events, onError }
}

const request = (path: string, method = 'GET', token = 't') =>
  new Request(`http://localhost${path}`, { method, headers: { authorization: `Bearer ${token}` } })

describe('onResponse', () => {
  it.each([
    ['/plants', 'GET', 't', { route: '/plants', status: 200, owner: 'alice', error: undefined }],
    ['/plants', 'HEAD', 't', { route: '/plants', status: 200, owner: 'alice', error: undefined }],
    ['/plants', 'OPTIONS', 't', { route: '/plants', status: 204, owner: undefined }],
    ['/plants', 'PUT', 't', { route: '/plants', status: 405, error: 'method_not_allowed' }],
    ['/plants', 'GET', 'x', { route: '/plants', status: 401, error: 'invalid_token' }],
    ['/plants/7', 'DELETE', 't', { route: '/plants/{id}', status: 403, owner: 'alice' }],
    ['/ferns', 'GET', 't', { route: undefined, status: 404, error: 'route_not_found' }],
  ])('is called once for %s %s with the token %s', async (path, method, token, expected) => {
    const { store, events } = observed()
    const before = Date.now()
    await store.fetch(request(path, method, token))
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({ method, outcome: 'sent', ...expected })
    const logged = JSON.parse(JSON.stringify(events[0]))
    expect(logged).toMatchObject({ method, status: expected.status, outcome: 'sent' })
    expect(events[0]!.startedAt).toBeGreaterThanOrEqual(before)
    expect(events[0]!.durationMs).toBeGreaterThanOrEqual(0)
    expect(events[0]!.durationMs).toBeLessThan(performance.now())
    expect(events[0]!.request.url).toBe(`http://localhost${path}`)
  })

  it('is called at the end of a streamed body, not of the reply', async () => {
    const { store, events } = observed(longList(400, 'Aloe'.padEnd(1000)))
    const response = await store.fetch(request('/plants'))
    expect(events).toEqual([])
    const answeredAt = Date.now()
    await setTimeout(5)
    expect(await response.json()).toHaveLength(400)
    expect(events).toMatchObject([{ status: 200, outcome: 'sent', error: undefined }])
    expect(events[0]!.startedAt).toBeLessThanOrEqual(answeredAt)
    expect(events[0]!.startedAt + events[0]!.durationMs).toBeGreaterThan(answeredAt + 1)
  })

  it('is called for HEAD of a streamed list, whose body nobody reads', async () => {
    const { store, events } = observed(manyPlants)
    await store.fetch(request('/plants', 'HEAD'))
    expect(events).toMatchObject([{ method: 'HEAD', status: 200, outcome: 'sent' }])
  })

  it('reports a list that fails midway, whose body fails with an Error that hosts can read', async () => {
    const gone = new StorageUnavailableError('gone')
    const { store, events, onError } = observed({
      ...manyPlants,
      list(owner, query) {
        if (query.after !== undefined) throw gone
        return manyPlants.list(owner, query)
      },
    })
    const response = await store.fetch(request('/plants'))
    const error = await failureOf(response.text())
    // Hosts print it, and its cause may hold a token.
    expect(Object.entries(error)).toEqual([
      ['name', 'storage_unavailable'],
      ['status', 503],
    ])
    expect(error).toBeInstanceOf(Error)
    expect(error.cause).toBeUndefined()
    expect(onError.mock.calls).toMatchObject([[gone, {}]])
    expect(events).toMatchObject([{ status: 200, outcome: 'failed', error: 'storage_unavailable' }])
  })

  it.each([0, 1])('reports a client that stops reading a list after %i parts', async (parts) => {
    const { store, events } = observed(manyPlants)
    const response = await store.fetch(request('/plants'))
    const reader = response.body!.getReader()
    if (parts > 0) await reader.read()
    await reader.cancel()
    expect(events).toMatchObject([{ status: 200, outcome: 'aborted' }])
  })

  it.each([
    ['aborted', 1],
    ['sent', 99],
  ])('is called once, however often a host ends the body: %s', async (outcome, parts) => {
    const { store, events } = observed(longList(400, 'Aloe'.padEnd(1000)))
    const reply = await store.handle(request('/plants'))
    const iterator = (reply!.body as AsyncIterable<string>)[Symbol.asyncIterator]()
    for (let part = 0; part < parts && !(await iterator.next()).done; part++);
    for (let i = 0; i < 2; i++) {
      expect(await iterator.return!()).toEqual({ done: true, value: undefined })
    }
    expect(events).toMatchObject([{ outcome }])
  })

  it('reports a client that has disconnected when the next page is read', async () => {
    const { store, events } = observed(manyPlants)
    const client = new AbortController()
    const response = await store.fetch(new Request(request('/plants'), { signal: client.signal }))
    client.abort()
    await expect(response.text()).rejects.toThrow('The client has disconnected')
    expect(events).toMatchObject([{ status: 200, outcome: 'aborted', error: undefined }])
  })

  it('reports a body that the host drops, since its client has gone', async () => {
    const { store, events } = observed(manyPlants)
    const client = new AbortController()
    const incoming = fromRequest(new Request(request('/plants'), { signal: client.signal }))
    const replied = store.handle(incoming)
    client.abort()
    await replied
    expect(events).toMatchObject([{ outcome: 'aborted', error: undefined }])
  })

  it('treats a framework’s Request without a signal as one that is not aborted', async () => {
    const { store, events } = observed()
    const { method, url, headers } = request('/plants')
    await store.fetch({ method, url, headers } as Request)
    expect(events).toMatchObject([{ status: 200, outcome: 'sent' }])
  })

  it('reports a client that disconnects before the response as 499', async () => {
    const storage = longList(1000)
    const { store, events } = observed(storage)
    for (const limit of [10, 600]) {
      const signal = AbortSignal.abort()
      const response = await store.fetch(new Request(request(`/plants?limit=${limit}`), { signal }))
      expect(response.headers.get('cache-control')).toBe('no-store')
    }
    expect(events).toMatchObject([
      { status: 200, outcome: 'aborted', error: undefined },
      { status: 499, outcome: 'aborted', error: undefined },
    ])
    // The second page was not read.
    expect(storage.reads).toBe(2)
  })

  it('reports a client that disconnects while a storage reads its list as 499', async () => {
    const client = new AbortController()
    const list = async () => {
      client.abort()
      return []
    }
    const { store, events, onError } = observed({ ...memoryStorage(), list })
    await store.fetch(new Request(request('/plants'), { signal: client.signal }))
    expect(events).toMatchObject([{ status: 499, outcome: 'aborted', error: undefined }])
    expect(onError).not.toHaveBeenCalled()
  })

  it('reports a client that disconnects during a create as aborted, and aborts its signal', async () => {
    const client = new AbortController()
    const onResponse = vi.fn()
    const storage: PlantStorage = {
      ...memoryStorage(),
      create: (_owner, _plant, call) =>
        new Promise((resolve) => {
          call!.signal.addEventListener('abort', () => resolve(true))
          client.abort()
        }),
    }
    const store = createPlantStore(storage, () => ({ owner: 'alice' }), { onResponse })
    const headers = { authorization: 'Bearer t', 'content-type': 'application/json' }
    const body = '{"id":1,"name":"Fern"}'
    const init = { method: 'POST', headers, body, signal: client.signal }
    await store.fetch(new Request('http://localhost/plants', init))
    expect(onResponse.mock.calls).toMatchObject([[{ status: 200, outcome: 'aborted' }]])
  })

  it('sees a 499, and no call of the storage, if the client disconnects while the verifier decides', async () => {
    const list = vi.fn(() => [])
    const verify = async () => ({ owner: 'alice' })
    const { fetch } = createPlantStore({ ...memoryStorage(), list }, verify)
    const signal = AbortSignal.abort()
    expect((await fetch(new Request(request('/plants'), { signal }))).status).toBe(499)
    expect(list).not.toHaveBeenCalled()
  })
})

it('A verifier that accepts a token after all leaves no reason in the event and the log, whatever else fails', async () => {
  const print = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => print.mockRestore())
  const verify: AuthVerifier = (_token, { refuse }) => refuse('never mind') ?? { owner: 'alice' }
  const onResponse = vi.fn()
  const store = createPlantStore(memoryStorage(), verify, { onResponse })
  for (const method of ['GET', 'DELETE']) await store.fetch(request('/plants/7', method))
  expect(onResponse.mock.calls).toMatchObject([
    [{ status: 405, reason: undefined }],
    [{ status: 404, reason: undefined }],
  ])
  expect(print).not.toHaveBeenCalled()
})
