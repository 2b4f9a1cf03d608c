import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import {
  BodyConsumedError,
  fromRequest,
  type IncomingRequest,
  internalErrorReply,
  isStream,
  type PlantStore,
  readChunks,
} from '../../src/adapter.ts'
import { staticTokens } from '../../src/auth/tokens.ts'
import { createPlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

/** A made-up framework: its requests have a list of headers and a body in chunks, its next() is a 404. */
interface Call {
  verb: string
  target: string
  headers: [name: string, value: string][]
  chunks?: AsyncIterable<Uint8Array> | 'consumed'
  respond(status: number, headers: Record<string, string>, body: string): void
  next(): void
}

/** An adapter for it, from what `plant-store/adapter` exports. */
function toHandler(store: Pick<PlantStore, 'handle'>) {
  return async (call: Call): Promise<void> => {
    const get = (name: string) =>
      call.headers.flatMap(([key, value]) => (key === name ? value : [])).join(', ') || null
    const request: IncomingRequest = {
      method: call.verb,
      url: call.target,
      headers: { get },
      async readBody(maxBytes) {
        if (call.chunks === 'consumed') throw new BodyConsumedError()
        return readChunks(call.chunks ?? Readable.from([]), maxBytes)
      },
      toRequest: () =>
        new Request(new URL(call.target, 'http://made.up'), { headers: call.headers }),
    }
    const reply = await Promise.resolve(store.handle(request)).catch(internalErrorReply)
    if (!reply) return call.next()
    let body = isStream(reply.body) ? '' : (reply.body ?? '')
    if (isStream(reply.body)) for await (const part of reply.body) body += part
    call.respond(reply.status, reply.headers, body)
  }
}

describe('an adapter for a made-up framework', () => {
  const store = createPlantStore(memoryStorage(), staticTokens({ t: 'alice' }), {
    maxBodyBytes: 100,
    onError: () => {},
  })
  const handle = toHandler(store)
  async function send(verb: string, target: string, body?: string | 'consumed') {
    const sent: unknown[] = []
    await handle({
      verb,
      target,
      headers: [
        ['authorization', 'Bearer t'],
        ['content-type', 'application/json'],
      ],
      chunks: body === 'consumed' ? body : Readable.from([Buffer.from(body ?? '')]),
      respond: (status, _headers, text) => sent.push(status, text),
      next: () => sent.push('next'),
    })
    return sent
  }

  it('serves every operation, and leaves other paths to the framework', async () => {
    expect(await send('POST', '/plants', '{"id":7,"name":"Aloe"}')).toEqual([
      200,
      '{"name":"Aloe"}',
    ])
    expect(await send('GET', '/plants')).toEqual([200, '[{"name":"Aloe"}]'])
    expect(await send('DELETE', '/plants/7')).toEqual([204, ''])
    expect((await send('POST', '/plants', ' '.repeat(101)))[0]).toBe(413)
    expect((await send('POST', '/plants', 'consumed'))[0]).toBe(500)
    expect(await send('GET', '/ferns')).toEqual(['next'])
  })

  it('gets a 404 reply from notFound, for a host without a next handler', async () => {
    const request = fromRequest(new Request('http://localhost/ferns'))
    expect(await store.handle(request)).toBeUndefined()
    expect(await store.notFound(request)).toMatchObject({ status: 404 })
  })
})
