import { Readable } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import {
  BodyConsumedError,
  fromRequest,
  getReply,
  getResponse,
  type IncomingBody,
  readChunks,
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

  it('gets a 500 for an error of an app’s wrapper, which is logged', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    const handle = () => Promise.reject(new Error('wrapper'))
    const request = fromRequest(new Request('http://localhost/plants'))
    const message = 'Something went wrong on the server.'
    expect(await getReply({ ...store, handle }, request)).toEqual({
      status: 500,
      headers: {
        'content-type': 'application/json',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      },
      body: JSON.stringify({ error: 50001, message }),
    })
    expect(String(printed.mock.calls)).toContain('wrapper')
    printed.mockRestore()
  })

  it.each([getReply, getResponse])(
    'gets a 500 for a wrapper’s reply that is none: %o',
    async (get) => {
      const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
      const handle = async () => true as never
      const request = fromRequest(new Request('http://localhost/plants'))
      expect(await get({ ...store, handle }, request)).toMatchObject({ status: 500 })
      expect(String(printed.mock.calls)).toContain(
        'handle must resolve to a reply or undefined; got',
      )
      printed.mockRestore()
    },
  )

  it('reads a body of bytes and text', async () => {
    const limit = (maxBytes: number) => ({ maxBytes, reserve() {} })
    const chunks = Readable.from(['{"ä":', Buffer.from('7'), '}'])
    expect(new TextDecoder().decode((await readChunks(chunks, limit(8)))!)).toBe('{"ä":7}')
    expect(await readChunks(Readable.from(['{"ä":7}']), limit(7))).toBeNull()
  })

  it('gets a 404 reply from notFound, for a host without a next handler', async () => {
    const request = fromRequest(new Request('http://localhost/ferns'))
    expect(await store.handle(request)).toBeUndefined()
    expect(await store.notFound(request)).toMatchObject({ status: 404 })
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

    it('has a waitUntil that throws: the response is sent, and the error is logged', async () => {
      // A time of its own, since only so many errors are printed in one second.
      vi.useFakeTimers({ toFake: ['Date'], now: 10_000 })
      const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
      const onResponse = async () => {}
      const observed = createPlantStore(memoryStorage(), staticTokens({ t: 'alice' }), {
        onResponse,
      })
      function waitUntil(): never {
        throw new Error('The response is over')
      }
      const reply = await observed.handle({ ...fromRequest(create), waitUntil })
      expect(reply).toMatchObject({ status: 400 })
      await vi.waitFor(() => expect(printed).toHaveBeenCalled())
      expect(String(printed.mock.calls)).toContain('is over')
      printed.mockRestore()
      vi.useRealTimers()
    })
  })
})
