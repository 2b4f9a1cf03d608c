import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  BodyConsumedError,
  createBodyBuffer,
  fromRequest,
  getReply,
  getResponse,
  type IncomingBody,
  readChunks,
  toResponse,
} from '../../src/adapter.ts'
import { staticTokens } from '../../src/auth/tokens.ts'
import { createPlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

describe('an adapter', () => {
  const storage = memoryStorage()
  for (let id = 0n; id < 250n; id++) storage.create('bob', { id, name: 'Fern' })
  const store = createPlantStore(storage, staticTokens({ t: 'alice', many: 'bob' }), {
    maxBodyBytes: 100,
    onError: () => {},
    onResponse: () => {},
  })

  it.each([1, 200])(
    'need not report whether a client has disconnected: %i plants',
    async (limit) => {
      const headers = { authorization: 'Bearer many' }
      const list = fromRequest(new Request(`http://localhost/plants?limit=${limit}`, { headers }))
      expect(await store.handle({ ...list, isAborted: undefined })).toMatchObject({ status: 200 })
    },
  )

  it('need not have a signal, if its Request has one', async () => {
    const client = new AbortController()
    const { promise: seen, resolve: see } = Promise.withResolvers<AbortSignal>()
    const gone = createPlantStore(storage, (_token, { signal }) => {
      see(signal)
      return new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null)))
    })
    const headers = { authorization: 'Bearer t' }
    const sent = new Request('http://localhost/plants', { headers, signal: client.signal })
    const replied = gone.handle({ ...fromRequest(sent), toSignal: undefined })
    const signal = await seen
    client.abort()
    expect(signal.aborted).toBe(true)
    await replied
  })

  it.each(['*', 'http://desert', 'http://desert?/plants', '?/plants'])(
    'has no route for a target without a path: %s',
    async (target) => {
      const headers = { get: () => null }
      const readBody = () => Promise.resolve(null)
      const toRequest = () => new Request('http://localhost')
      const request = { method: 'OPTIONS', url: target, headers, readBody, toRequest }
      expect(await store.handle(request)).toBeUndefined()
    },
  )

  it.each([getReply, getResponse])(
    'gets a 404 for a wrapper that has null, and a 500 that is logged if it rejects or has no reply: %o',
    async (get) => {
      const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
      const request = fromRequest(new Request('http://localhost/plants'))
      expect((await get({ ...store, handle: async () => null as never }, request)).status).toBe(404)
      for (const [handle, message] of [
        [() => Promise.reject(new Error('wrapper')), 'wrapper'],
        [async () => true as never, 'handle must resolve to a reply or undefined; got'],
      ] as const) {
        const { status, body } = await get({ ...store, handle }, request)
        expect([status, await new Response(body as BodyInit).json()]).toEqual([
          500,
          { error: 50001, message: 'Something went wrong on the server.' },
        ])
        expect(String(printed.mock.calls)).toContain(message)
      }
      printed.mockRestore()
    },
  )

  it('reads a body of bytes and text', async () => {
    const chunks = Readable.from(['{"ä":', Buffer.from('7'), '}'])
    expect(new TextDecoder().decode((await readChunks(chunks, 8))!)).toBe('{"ä":7}')
    expect(await readChunks(Readable.from(['{"ä":7}']), 7)).toBeNull()
  })

  describe('in a host whose request', () => {
    const create = new Request('http://localhost/plants', {
      method: 'POST',
      headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
    })

    const ivy = new TextEncoder().encode('{"id":10,"name":"Ivy"}')
    it.each<[string, number, () => IncomingBody | null]>([
      ['text', 200, () => '{"id":11,"name":"Ivy"}'],
      ['bytes', 200, () => ivy],
      ['an ArrayBuffer', 200, () => new Uint8Array(ivy).fill(50, 6, 7).buffer],
      ['a parsed plant', 200, () => ({ parsed: { id: 14, name: 'Ivy' } })],
      ['a parsed null', 400, () => ({ parsed: null })],
      ['a parsed undefined', 400, () => ({ parsed: undefined })],
      ['nothing, since it is too large', 413, () => null],
      ['text that is just not too large', 200, () => '{"id":13,"name":"Ivy"}'.padEnd(100)],
      ['text that is too large', 413, () => `{"id":12,"name":"${'é'.repeat(45)}"}`],
      ['bytes that are too large', 413, () => Buffer.alloc(101, ' ')],
      ['an ArrayBuffer that is too large', 413, () => new ArrayBuffer(101)],
      ['an error, since the adapter has a bug', 500, () => Buffer.alloc(-1)],
      [
        'an error, since it was consumed',
        500,
        () => {
          throw new BodyConsumedError()
        },
      ],
    ])('has a body without a promise, which is %s: %i', async (_, status, readBody) => {
      expect(await store.handle({ ...fromRequest(create), readBody })).toMatchObject({ status })
    })

    it('has a parsed body that the app goes on using', async () => {
      const parsed = { id: 15, name: 'Ivy' }
      const reply = await store.handle({ ...fromRequest(create), readBody: () => ({ parsed }) })
      expect(reply).toMatchObject({ status: 200 })
      expect(parsed).toEqual({ id: 15, name: 'Ivy' })
    })

    it.each<[string, unknown]>([
      ['undefined', undefined],
      ['a number', 5],
      ['an object', { id: 1 }],
      ['an array', [123]],
    ])('has a body of a wrong kind, %s: 500, and onError says so', async (got, body) => {
      const onError = vi.fn()
      const store = createPlantStore(memoryStorage(), staticTokens({ t: 'alice' }), { onError })
      const readBody = () => body as IncomingBody
      const reply = await store.handle({ ...fromRequest(create), readBody })
      expect(reply).toMatchObject({ status: 500 })
      const message = `readBody must return bytes, text, { parsed } or null; got ${got}`
      expect(onError.mock.calls).toMatchObject([[{ name: 'TypeError', message }, {}]])
    })
  })
})

it('a host whose waitUntil throws gets the reply, and the error is logged', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  const options = { onResponse: async () => {} }
  const store = createPlantStore(memoryStorage(), staticTokens({ t: 'alice' }), options)
  function waitUntil(): never {
    throw new Error('The response is over')
  }
  const request = fromRequest(new Request('http://localhost/plants'))
  expect(await store.handle({ ...request, waitUntil })).toMatchObject({ status: 401 })
  await vi.waitFor(() => expect(String(printed.mock.calls)).toContain('The response is over'))
  printed.mockRestore()
})

it('the body of toResponse is cancelled when its iterator has ended, as that ends', async () => {
  const next = async () => ({ value: '[]' })
  async function fail(): Promise<never> {
    throw new Error('The cursor is gone')
  }
  const body = { [Symbol.asyncIterator]: () => ({ next, return: fail }) }
  const { body: stream } = toResponse({ status: 200, headers: {}, body })
  await expect(stream!.cancel()).rejects.toThrow('The cursor is gone')
})

it('createBodyBuffer holds the chunks up to its maximum size, and nothing of the one that exceeds it', () => {
  const sizes = fc.array(fc.oneof(fc.nat(9), fc.nat(40_000)))
  fc.assert(
    fc.property(sizes, fc.nat(200_000), (all, maxBytes) => {
      const buffer = createBodyBuffer(maxBytes)
      const added = all.map((size, i) => Buffer.alloc(size, i + 1)).filter(buffer.add)
      expect(Buffer.concat(added).equals(buffer.toBytes())).toBe(true)
      expect(buffer.toBytes().byteLength).toBeLessThanOrEqual(maxBytes)
    }),
  )
})
