import { createSign, generateKeyPairSync } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { base64url, exportJWK, type JSONWebKeySet, type JWK } from 'jose'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { jwtVerifier } from '../../../src/auth/jwt.ts'
import { listening } from '../../shared/listening.ts'
import {
  AUDIENCE,
  goodClaims,
  ISSUER,
  makeKey,
  now,
  refusalOf,
  type SigningKey,
  sign,
  startKeyServer,
} from './issuer.ts'

const [rsa, ec, otherEc, ed] = [
  await makeKey('RS256', 'rsa'),
  await makeKey('ES256', 'ec'),
  await makeKey('ES256', 'ec'),
  await makeKey('EdDSA', 'ed'),
]
/** A verifier with the keys of a URL, or with a key set. */
const verifierOf = (jwks: string | JSONWebKeySet) =>
  jwtVerifier({ jwks, issuer: ISSUER, audience: AUDIENCE })

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

async function keyServer(...keys: SigningKey[]) {
  const server = await startKeyServer(keys)
  onTestFinished(server.close)
  return server
}

/** Sets the clock to so many seconds from now. */
const later = (seconds: number) =>
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 * seconds })

describe('a key set with a URL', () => {
  it('is fetched once for any number of tokens', async () => {
    const server = await keyServer(rsa, ec)
    const verify = verifierOf(server.url)
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, i) => sign(i % 2 ? rsa : ec)))
    const callers = await Promise.all(tokens.map((token) => verify(token)))
    expect(callers.every((caller) => caller?.owner === 'alice')).toBe(true)
    expect(server.requests).toBe(1)
  })

  it('is fetched again for an unknown key, but at most every 30 seconds', async () => {
    const server = await keyServer(ec)
    const verify = verifierOf(server.url)
    expect(await verify(await sign(ec))).not.toBeNull()

    // One key is replaced under its kid.
    server.jwks = { keys: [rsa.jwk, otherEc.jwk] }
    expect(await verify(await sign(rsa))).toBeNull()
    later(29)
    expect(await verify(await sign(rsa))).toBeNull()
    expect(server.requests).toBe(1)

    later(2)
    expect(await verify(await sign(rsa))).not.toBeNull()
    expect(await verify(await sign(ec))).toBeNull()
    expect(await verify(await sign(otherEc))).not.toBeNull()
    for (let i = 0; i < 50; i++) await verify(await sign({ ...rsa, kid: `made-up-${i}` }))
    expect(server.requests).toBe(2)
  })

  it('accepts a token without kid that one of its keys has signed', async () => {
    const another = await makeKey('ES256', 'another')
    const server = await keyServer(ec, otherEc)
    const verify = verifierOf(server.url)
    const noKid = { kid: undefined }
    expect(await verify(await sign(ec, {}, noKid))).not.toBeNull()
    expect(await verify(await sign(otherEc, {}, noKid))).not.toBeNull()
    for (const [claims, reason] of [
      [{ exp: 1 }, 'it expired at 1970-01-01T00:00:01.000Z'],
      [{ aud: 'another' }, `audience is "another", expected "${AUDIENCE}"`],
      [{ iss: 'https://b.example' }, `issuer is "https://b.example", expected "${ISSUER}"`],
    ] as const) {
      expect(await refusalOf(verify, await sign(otherEc, claims, noKid))).toBe(reason)
    }
    const reason = 'no key has made its signature'
    expect(await refusalOf(verify, await sign(another, {}, noKid))).toBe(reason)
  })

  it('ignores RSA keys of less than 2048 bits, and a forged token that names one is refused', async () => {
    const { jwk: weak, token: signed } = await weakKey()
    const server = await keyServer(rsa)
    server.jwks = { keys: [weak, rsa.jwk] }
    const forged = await sign({ ...rsa, kid: weak.kid! })
    const noKid = { kid: undefined }
    const another = await makeKey('RS256', 'another')
    for (const jwks of [server.url, server.jwks]) {
      const verify = verifierOf(jwks)
      expect(await verify(forged)).toBeNull()
      expect(await verify(signed)).toBeNull()
      expect(await verify(await sign(another, {}, noKid))).toBeNull()
      expect(await verify(await sign(rsa, { exp: now() - 60 }, noKid))).toBeNull()
      expect(await verify(await sign(rsa, {}, noKid))).toEqual({ owner: 'alice' })
    }
    const weakAlone = verifierOf({ keys: [weak] })
    expect(await weakAlone(signed)).toBeNull()
  })

  it.each<[string, SigningKey, object]>([
    ['an RSA key with a modulus that is not base64url', rsa, { n: '!!' }],
    ['an ECDSA key that is not on its curve', ec, { y: ec.jwk.x }],
    ['an ECDSA key on an unknown curve', ec, { crv: 'P-255' }],
    ['an Ed25519 key of another length', ed, { x: 'AAAA' }],
    ['a key of an unknown type', ec, { kty: 'XY' }],
  ])('ignores %s, and uses the others', async (_, key, broken) => {
    const server = await keyServer(rsa)
    server.jwks = { keys: [{ ...key.jwk, kid: 'broken', ...broken } as JWK, rsa.jwk, ed.jwk] }
    for (const jwks of [server.url, server.jwks]) {
      const verify = verifierOf(jwks)
      expect(await verify(await sign({ ...key, kid: 'broken' }))).toBeNull()
      expect(await verify(await sign(rsa))).toEqual({ owner: 'alice' })
      expect(await verify(await sign(ed))).toEqual({ owner: 'alice' })
    }
  })

  // introspection.test.ts has what is no JSON, for the function that fetches both.
  it.each<[string, Parameters<typeof answerWith>[0]]>([
    ['status 500; expected 200', { status: 500 }],
    ...['{"keys":{}}', 'null', '{"keys":[7]}', '{"keys":[]}'].map(
      (body): [string, { body: string }] => ['JSON that is not a key set with keys', { body }],
    ),
  ])('throws when the server responded with %s', async (fault, answer) => {
    const server = await keyServer(ec)
    server.answer = answerWith(answer)
    const verify = verifierOf(`${server.url}?key=s3cret`)
    const token = await sign(ec)
    const message = `jwks: ${server.url} responded with ${fault}`
    await expect(verify(token)).rejects.toThrow(expect.objectContaining({ message }))

    server.answer = answerWith({ body: JSON.stringify(server.jwks) })
    later(1)
    expect(await verify(token)).toEqual({ owner: 'alice' })
  })

  it.each<[string, Parameters<typeof answerWith>[0]]>([
    ['fails', { status: 500 }],
    ['talks nonsense', { body: '{"keys":7}' }],
  ])('is fetched once a second while its server %s, for any number of tokens', async (_, bad) => {
    const server = await keyServer(ec)
    const verify = verifierOf(server.url)
    const good = await sign(ec)
    await verify(good)
    server.answer = answerWith(bad)
    later(31)
    const flood = async () => {
      for (let i = 0; i < 20; i++) {
        await expect(verify(await sign({ ...ec, kid: `made-up-${i}` }))).rejects.toThrow()
      }
    }
    await flood()
    later(0.9)
    await flood()
    expect(server.requests).toBe(2)
    later(0.1)
    await flood()
    expect(server.requests).toBe(3)
    expect(await verify(good)).not.toBeNull()
  })

  it('throws when the server has not responded within 5 s', async () => {
    const { url } = await listening(() => {})
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort('too long'))
    await expect(verifierOf(url)(await sign(ec))).rejects.toMatchObject({ cause: 'too long' })
    expect(timeout).toHaveBeenCalledWith(5000)
  })

  it('is fetched again after a failure, although the clock was set back', async () => {
    const server = await keyServer(ec)
    const { answer } = server
    server.answer = answerWith({ status: 500 })
    const verify = verifierOf(server.url)
    await expect(verify(await sign(ec))).rejects.toThrow()
    server.answer = answer
    later(-3600)
    expect(await verify(await sign(ec))).toEqual({ owner: 'alice' })
  })

  it('ignores a private key, even if it is the only one', async () => {
    const server = await keyServer()
    server.jwks = { keys: [{ ...(await exportJWK(ec.privateKey)), kid: 'ec' }] }
    const verify = verifierOf(server.url)
    expect(await verify(await sign(ec))).toBeNull()
  })

  it('keeps using its keys when the server fails before they expire', async () => {
    const server = await keyServer(ec)
    const verify = verifierOf(server.url)
    await verify(await sign(ec))
    server.answer = answerWith({ status: 503 })
    later(60)
    expect(await verify(await sign(ec))).not.toBeNull()
    await expect(verify(await sign(rsa))).rejects.toThrow()
    later(540)
    for (let tries = 0; tries < 2; tries++) {
      await expect(verify(await sign(ec))).rejects.toThrow()
      later(1)
    }
  })

  it('that lost a key refuses its tokens once it is 10 minutes old and their callers are not cached any more', async () => {
    later(0)
    const server = await keyServer(ec)
    const verify = verifierOf(server.url)
    const hour = { exp: now() + 3600 }
    const [token, other] = [await sign(ec, hour), await sign(ec, { ...hour, sub: 'bob' })]
    await verify(token)
    server.jwks = { keys: [rsa.jwk] }
    later(599)
    expect(await verify(token)).toEqual({ owner: 'alice' })
    later(1)
    expect(await verify(other)).toBeNull()
    later(58)
    expect(await verify(token)).toEqual({ owner: 'alice' })
    later(1)
    expect(await verify(token)).toBeNull()
  })
})

/** A key of 1024 bits, and a token that it has signed. jose refuses to sign with it. */
async function weakKey() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'weak' } as JWK
  const input = [{ alg: 'RS256', kid: 'weak' }, goodClaims()]
    .map((part) => base64url.encode(JSON.stringify(part)))
    .join('.')
  const signature = createSign('sha256').update(input).sign(privateKey)
  return { jwk, token: `${input}.${base64url.encode(signature)}` }
}

function answerWith({ status = 200, body = '' }) {
  return (response: ServerResponse) => response.writeHead(status).end(body)
}
