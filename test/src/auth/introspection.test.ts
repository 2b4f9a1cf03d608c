import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type IntrospectionVerifierOptions,
  introspectionVerifier,
} from '../../../src/auth/introspection.ts'
import { listening } from '../../shared/listening.ts'
import { now, refusalOf } from './issuer.ts'

afterEach(() => void vi.useRealTimers())

interface Asked {
  request: IncomingMessage
  form: URLSearchParams
}

/** Starts an authorization server. The test decides its response to a token. */
async function startAuthorizationServer(
  answer: (token: string, response: ServerResponse) => unknown = () => good(),
) {
  const asked: Asked[] = []
  const { url } = await listening(async (request, response) => {
    const form = new URLSearchParams(await text(request))
    asked.push({ request, form })
    const body = await answer(form.get('token')!, response)
    if (body !== undefined) {
      response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body))
    }
  })
  const verifier = (options: Partial<IntrospectionVerifierOptions> = {}) =>
    introspectionVerifier({
      endpoint: `${url}/introspect?key=c1ient-s3cret`,
      clientId: 'plants',
      clientSecret: 'c1ient-s3cret',
      ...options,
    })
  return { asked, url, verifier }
}

const good = (more: object = {}) => ({ active: true, sub: 'alice', exp: now() + 600, ...more })

describe('the question', () => {
  it('follows RFC 7662, with client authentication as in RFC 6749', async () => {
    const server = await startAuthorizationServer()
    const verify = server.verifier({ clientId: 'plants & co:ö', clientSecret: 'a+b c/%é' })
    expect(await verify('tok/en+1==')).toEqual({ owner: 'alice' })

    const [{ request, form }] = server.asked as [Asked]
    expect(request.method).toBe('POST')
    expect(request.headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa('plants+%26+co%3A%C3%B6:a%2Bb+c%2F%25%C3%A9')}`,
    })
    expect(request.url).toBe('/introspect?key=c1ient-s3cret')
    expect(Object.fromEntries(form)).toEqual({
      token: 'tok/en+1==',
      token_type_hint: 'access_token',
    })
  })

  it('follows no redirect, since the token and the secret are for one server alone', async () => {
    const elsewhere = await startAuthorizationServer()
    for (const status of [301, 302, 303, 307, 308]) {
      const server = await startAuthorizationServer((_, response) => {
        response.writeHead(status, { location: `${elsewhere.url}/introspect` })
        return '{"active":true,"sub":"mallory"}'
      })
      await expect(server.verifier()('token')).rejects.toThrow()
    }
    expect(elsewhere.asked).toEqual([])
  })

  it('is not sent for a token that is longer than any server accepts', async () => {
    const server = await startAuthorizationServer()
    expect(await server.verifier()('x'.repeat(100_000))).toBeNull()
    expect(server.asked).toEqual([])
  })
})

describe('the answer', () => {
  it.each<[object, object, object?]>([
    [good(), { owner: 'alice' }],
    [good({ aud: ['api', 'plants'] }), { owner: 'alice' }, { audience: ['old', 'plants'] }],
    [good({ token_type: 'bearer' }), { owner: 'alice' }],
    [{ active: true, sub: 'alice' }, { owner: 'alice' }],
    [good({ exp: null, nbf: null, cnf: null, token_type: null }), { owner: 'alice' }],
    [good({ scope: null }), { owner: 'alice', scopes: [] }],
    [good({ scope: 'openid plants:read' }), { owner: 'alice', scopes: ['openid', 'plants:read'] }],
  ])('%j opens the plants of its owner', async (answer, caller, options) => {
    const server = await startAuthorizationServer(() => answer)
    expect(await server.verifier(options)('token')).toEqual(caller)
  })

  const NO_OWNER =
    'the claim sub must be a non-empty string without U+0000 and lone surrogates, for the owner; got undefined'
  it.each<[object, string, object?]>([
    [{ active: false, sub: 'alice' }, 'the authorization server says that it is not active'],
    [good({ token_type: 'DPoP' }), 'token_type is "DPoP", expected "Bearer"'],
    [good({ token_type: ['Bearer'] }), 'token_type is ["Bearer"], expected "Bearer"'],
    [good({ exp: 1 }), 'it expired at 1970-01-01T00:00:01.000Z'],
    [good({ nbf: 1e300 }), 'it is not valid before a time out of range'],
    [{ active: true }, NO_OWNER],
    [good({ aud: 'x' }), 'audience is "x", expected "a" or "b"', { audience: ['a', 'b'] }],
    [good({ aud: [['a']] }), 'audience is [["a"]], expected "a"', { audience: 'a' }],
    [good(), 'audience is missing, expected "a"', { audience: 'a' }],
    [good({ cnf: { jkt: 'abc' } }), 'it is sender-constrained (cnf), which is not supported'],
  ])('%j is refused, and the app is told why', async (answer, reason, options) => {
    const server = await startAuthorizationServer(() => answer)
    expect(await refusalOf(server.verifier(options), 'token')).toBe(reason)
    expect(await server.verifier(options)('token')).toBeNull()
  })

  const UNREADABLE = "can't be read"
  const notOfRfc = (got: string) => `responded with ${got}; expected a JSON object as in RFC 7662`
  const breakOff = (response: ServerResponse) =>
    void response.write('{"active":true', () => response.destroy())
  const created = (response: ServerResponse) =>
    void response.writeHead(201).end(JSON.stringify(good()))
  it.each<[string, unknown, string]>([
    ['a status but 200', created, 'responded with status 201; expected 200'],
    ['HTML', '<html><body>alice</body></html>', 'responded with malformed JSON'],
    ['not UTF-8', Buffer.from('{"active":true,"sub":"alicé"}', 'latin1'), UNREADABLE],
    ['more than a mebibyte', JSON.stringify(good()).padEnd(2 ** 20 + 1), UNREADABLE],
    ['a broken body', breakOff, UNREADABLE],
    ['an array', [good()], notOfRfc('an array')],
    ['of a wrong active', good({ active: 'true' }), notOfRfc('active: a string')],
    ['of an endless exp', '{"active":true,"exp":1e999}', notOfRfc('exp: a number')],
    ['of a wrong nbf', good({ nbf: true }), notOfRfc('nbf: a boolean')],
  ])('that is %s throws, and says nothing of the token and its owner', async (_, answer, fault) => {
    const server = await startAuthorizationServer((_, response) =>
      typeof answer === 'function' ? answer(response) : answer,
    )
    const verify = server.verifier()
    const error: any = await Promise.resolve(verify('s3cret-token')).catch((error) => error)
    // The query may hold a secret.
    expect(error.message).toBe(`endpoint: ${server.url}/introspect ${fault}`)
    for (const part of [error, error.cause]) {
      const all = `${part?.message} ${part?.stack} ${JSON.stringify(part ?? null)}`
      expect(all).not.toMatch(/s3cret-token|c1ient-s3cret|alice/)
    }
  })

  it('of a status but 200 is not read, and its connection is closed', async () => {
    const server = await startAuthorizationServer(
      (_, response) => void response.writeHead(500).write('<html>'),
    )
    await expect(server.verifier()('token')).rejects.toThrow('responded with status 500')
    await expect.poll(() => server.asked[0]!.request.socket.destroyed).toBe(true)
  })

  it.each<[string, (response: ServerResponse) => unknown]>([
    ['takes too long', () => new Promise(() => {})],
    ['starts but never ends', (response) => void response.write('{"active"')],
  ])('that %s throws', async (_, answer) => {
    const server = await startAuthorizationServer((_, response) => answer(response))
    await expect(server.verifier({ timeoutMs: 50 })('token')).rejects.toMatchObject({
      message: `endpoint: ${server.url}/introspect can't be read`,
      cause: { name: 'TimeoutError' },
    })
  })

  it('opens plants from the second of nbf until that of exp', async () => {
    const nbf = 1_800_000_000
    const server = await startAuthorizationServer(() => good({ nbf, exp: nbf + 5 }))
    const verify = server.verifier({ cacheMs: 0 })
    for (const [seconds, isGood] of [
      [-0.001, false],
      [0, true],
      [4.999, true],
      [5, false],
    ] as const) {
      vi.useFakeTimers({ toFake: ['Date'], now: (nbf + seconds) * 1000 })
      expect([seconds, (await verify('token')) !== null]).toEqual([seconds, isGood])
    }
  })

  it('may come in parts that end within a character', async () => {
    const server = await startAuthorizationServer(async (_, response) => {
      const bytes = Buffer.from(JSON.stringify(good({ sub: 'zoë' })))
      const middle = bytes.indexOf('ë') + 1
      response.write(bytes.subarray(0, middle))
      await sleep(20)
      return bytes.subarray(middle)
    })
    expect(await server.verifier()('token')).toEqual({ owner: 'zoë' })
  })

  it('is cached for 10 s, and never beyond exp', async () => {
    const server = await startAuthorizationServer((token) => good({ exp: now() + Number(token) }))
    const verify = server.verifier()
    const start = Date.now()
    for (const [token, seconds] of Object.entries({ 5: 5, 60: 10 })) {
      server.asked.length = 0
      for (const later of [0, seconds - 1, seconds]) {
        vi.useFakeTimers({ toFake: ['Date'], now: start + 1000 * later })
        const caller = verify(token)
        // A cached token waits for no other.
        expect(caller instanceof Promise).toBe(later !== seconds - 1)
        expect(await caller).toEqual({ owner: 'alice' })
        expect(server.asked).toHaveLength(later < seconds ? 1 : 2)
      }
    }
  })
})

describe('options that are wrong', () => {
  const good = {
    endpoint: 'https://login.example/introspect',
    clientId: 'a',
    clientSecret: 's3cret',
  }

  const INSECURE = 'endpoint must be an https: URL, or set allowHttp; got'
  const CREDENTIALS = 'endpoint must be a URL without user name and password'
  const NO_TEXT = 'must be a string that is not empty; got'
  it.each<[object, string]>([
    [{ endpoint: undefined }, 'endpoint must be an absolute URL; got undefined'],
    [{ endpoint: 'http://login.example/introspect' }, `${INSECURE} http://login.example`],
    [{ endpoint: 'https://a@login.example/introspect' }, CREDENTIALS],
    [{ endpoint: 'https://:b@login.example/introspect' }, CREDENTIALS],
    [{ clientId: undefined }, `clientId ${NO_TEXT} undefined`],
    [{ clientId: '' }, `clientId ${NO_TEXT} an empty string`],
    [{ clientSecret: undefined }, `clientSecret ${NO_TEXT} undefined`],
    [{ cacheMs: 0.5 }, 'cacheMs must be a whole number from 0 to 3600000; got 0.5'],
    ...[0, 2 ** 31].map((timeoutMs): [object, string] => [
      { timeoutMs },
      `timeoutMs must be a whole number from 1 to 2147483647; got ${timeoutMs}`,
    ]),
    // jwt.test.ts has the other values of options that both verifiers have.
    [{ audience: [] }, 'audience must be the value or values of aud; got an array'],
    [{ owner: 5 }, 'owner must be the name of a claim, or a function; got a number'],
  ])('are refused at once: %o', (wrong, message) => {
    const options = { ...good, ...wrong } as IntrospectionVerifierOptions
    expect(() => introspectionVerifier(options)).toThrow(expect.objectContaining({ message }))
  })

  it('do not include an http: endpoint with allowHttp', () => {
    const endpoint = 'http://login.example/introspect'
    expect(() => introspectionVerifier({ ...good, endpoint, allowHttp: true })).not.toThrow()
  })
})

describe('many tokens at once', () => {
  /** Holds the answers to all tokens but `good` back until `release`. */
  async function startSlowServer() {
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
    const server = await startAuthorizationServer(async (token) => {
      if (token === 'good') return good()
      await isReleased
      return token.startsWith('slow') ? good({ sub: token }) : { active: false }
    })
    return { ...server, release }
  }

  it('send 50 requests at a time, and each token gets its own result', async () => {
    const server = await startSlowServer()
    const verify = server.verifier({ timeoutMs: 60_000 })
    const tokens = Array.from({ length: 100 }, (_, i) => `${i % 10 ? 'bad' : 'slow'}-${i}`)
    const callers = Promise.all(tokens.map((token) => verify(token)))
    await expect.poll(() => server.asked.length).toBeGreaterThanOrEqual(50)
    await sleep(20)
    expect(server.asked).toHaveLength(50)
    server.release()
    expect((await callers).map((caller) => caller?.owner)).toEqual(
      tokens.map((token) => (token.startsWith('slow') ? token : undefined)),
    )
    expect(server.asked).toHaveLength(100)
  })

  it('leave turns to a token that was valid before', async () => {
    const server = await startSlowServer()
    const verify = server.verifier({ timeoutMs: 60_000, cacheMs: 1 })
    expect(await verify('good')).not.toBeNull()
    const unknown = Array.from({ length: 100 }, (_, i) => verify(`bad-${i}`))
    await expect.poll(() => server.asked.length).toBe(51)
    expect(await verify('good')).not.toBeNull()
    expect(server.asked).toHaveLength(52)
    server.release()
    await Promise.all(unknown)
  })

  it('share a request, and one whose client has gone is not asked about', async () => {
    const server = await startSlowServer()
    const verify = server.verifier({ timeoutMs: 60_000 })
    const same = Array.from({ length: 60 }, () => verify('slow'))
    const gone = new AbortController()
    const waiting = verify('bad', { signal: gone.signal })
    const rejection = expect(waiting).rejects.toThrow('aborted')
    await expect.poll(() => server.asked.length).toBe(1)
    gone.abort()
    server.release()
    expect(await Promise.all(same)).toEqual(Array(60).fill({ owner: 'slow' }))
    await rejection
    expect(server.asked).toHaveLength(1)

    // There, a request must not wait for the work of another.
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
    const verifyInWorker = server.verifier()
    vi.unstubAllGlobals()
    await Promise.all([verifyInWorker('slow'), verifyInWorker('slow')])
    expect(server.asked).toHaveLength(3)
  })

  it('leave room for others when they take too long', async () => {
    const server = await startSlowServer()
    const verify = server.verifier({ timeoutMs: 300 })
    const slow = Array.from({ length: 80 }, (_, i) => verify(`slow-${i}`))
    const outcomes = await Promise.allSettled(slow)
    expect(outcomes.map(({ status }) => status)).toEqual(Array(80).fill('rejected'))
    // On a busy machine, connecting alone may take longer.
    await vi.waitFor(async () => expect(await verify('good')).toEqual({ owner: 'alice' }), 30_000)
  })
})
