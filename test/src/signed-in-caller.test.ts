import { describe, expect, it, vi } from 'vitest'
import { fromRequest } from '../../src/adapter.ts'
import type { Caller, IncomingRequest, ResponseEvent } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { mounted } from './mounted.ts'

const create = (authorization?: string) =>
  new Request('http://localhost/plants', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
    body: '{"id":7,"name":"Monstera"}',
  })
const list = () => new Request('http://localhost/plants')

describe('store.as(caller)', () => {
  it('serves the caller of the app, whatever Authorization says, and asks no verifier', async () => {
    const verify = vi.fn(() => null)
    const events: ResponseEvent[] = []
    const storage = memoryStorage()
    const store = mounted({ onResponse: (event) => void events.push(event) }, storage, verify)
    for (const authorization of [undefined, 'Bearer token-of-mallory', 'Basic YWxpY2U6cHc=']) {
      const { fetch } = store.as({ owner: `owner-${authorization}` })
      expect((await fetch(create(authorization))).status).toBe(200)
      expect(await (await fetch(list())).json()).toEqual([{ name: 'Monstera' }])
      expect(events.at(-1)).toMatchObject({ owner: `owner-${authorization}`, route: '/plants' })
    }
    expect(verify).not.toHaveBeenCalled()
  })

  it('has handle and notFound, for adapters, and leaves the store itself to tokens', async () => {
    const store = mounted({})
    const alice = store.as({ owner: 'alice' })
    expect(await alice.handle(list())).toMatchObject({ status: 200, body: '[]' })
    expect(await alice.handle(new Request('http://localhost/other'))).toBeUndefined()
    expect(await alice.notFound(list())).toMatchObject({ status: 404 })
    expect((await store.fetch(list())).status).toBe(401)
  })

  it('grants the scopes of the caller only, and logs a refusal', async () => {
    const log = vi.spyOn(console, 'warn').mockReturnValue()
    const { fetch } = mounted({}).as({ owner: 'alice', scopes: ['plants:read'] })
    expect((await fetch(list())).status).toBe(200)
    const refused = await fetch(create())
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { error: 40301, message: 'The caller lacks the scope plants:write.' },
    ])
    expect(log).toHaveBeenCalledExactlyOnceWith(
      'A caller was refused with 403: it lacks the scope plants:write; it has plants:read',
    )
  })

  // test/security/verifiers.test.ts has others.
  it.each([
    [null, '; got null'],
    [{ owner: 'alice', scope: 'plants:read' }, 'scopes; got scope'],
  ])('throws a TypeError for %s', (caller, message) => {
    expect(() => mounted({}).as(caller as Caller)).toThrow(TypeError)
    expect(() => mounted({}).as(caller as Caller)).toThrow(message)
  })
})

describe('The caller of an incoming request', () => {
  const ask = async (caller: IncomingRequest['caller'], onError = vi.fn()) => {
    const store = mounted({ onError, timeoutMs: 50 })
    const reply = (await store.handle({ ...fromRequest(list()), caller }))!
    return { ...reply, errors: onError.mock.calls.map(([error]) => error) }
  }

  it('may be a value or a promise', async () => {
    const alice = { owner: 'alice' }
    for (const caller of [() => alice, async () => alice]) {
      expect(await ask(caller)).toMatchObject({ status: 200, body: '[]' })
    }
  })

  it.each([[() => null], [() => undefined], [async () => null]])(
    'of nobody is 401, as without a token',
    async (caller) => {
      const { status, headers, body } = await ask(caller)
      expect([status, body]).toEqual([401, '{"error":40101,"message":"Sign in first."}'])
      expect(headers['www-authenticate']).toBe('Bearer realm="plants"')
    },
  )

  function down(): never {
    throw new Error('The session store is down')
  }
  it.each([
    [down, 50302, 'The session store is down'],
    [async () => down(), 50302, 'The session store is down'],
    [() => new Promise<never>(() => {}), 50303, 'No result within 50 ms'],
    [() => ({ user: 'alice' }) as never, 50001, 'caller must return { owner } or nothing'],
  ])('that fails is 503 or 500, and tells onError why', async (caller, error, message) => {
    const { status, body, errors } = await ask(caller)
    expect(JSON.parse(body as string).error).toBe(error)
    expect(status).toBe(Math.floor(error / 100))
    expect(String(errors)).toContain(message)
  })
})
