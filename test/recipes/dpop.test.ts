import { createHash, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import type { AuthVerifier } from '../../src/auth-verifier.ts'
import { AUDIENCE, ISSUER, makeKey, now, type SigningKey, sign } from '../src/auth/issuer.ts'
import { askWith } from './ask.ts'

const key = await makeKey('ES256', 'key')

// Proof of possession as in RFC 9449, section 4.3, beside a Bearer token.
const usedProofs = new Map<string, number>()
const verify: AuthVerifier = async (token, { request }) => {
  try {
    const jwt = await jwtVerify(token, key.publicKey, {
      issuer: ISSUER,
      audience: AUDIENCE,
      algorithms: ['ES256'],
      requiredClaims: ['exp', 'sub', 'cnf'],
    })
    const proof = await jwtVerify(request.headers.get('dpop') ?? '', EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: ['ES256', 'EdDSA'],
      maxTokenAge: 60,
      requiredClaims: ['jti', 'htm', 'htu', 'ath'],
    })
    const { jti, htm, htu, ath } = proof.payload
    // Behind a proxy, the URL that the client has used is the app's own to know.
    const url = new URL(new URL(request.url).pathname, 'https://api.example').href
    const thumbprint = await calculateJwkThumbprint(proof.protectedHeader.jwk as JWK)
    const good =
      thumbprint === Object(jwt.payload.cnf).jkt &&
      htm === request.method &&
      htu === url &&
      ath === createHash('sha256').update(token).digest('base64url') &&
      isFirstUse(jti!)
    return good ? { owner: jwt.payload.sub! } : null
  } catch {
    // The key is at hand, so whatever fails is the client's doing.
    return null
  }
}

/** With several servers, this is for a store that they share. */
function isFirstUse(jti: string): boolean {
  for (const [old, until] of usedProofs) {
    if (until > Date.now()) break
    usedProofs.delete(old)
  }
  if (usedProofs.has(jti)) return false
  usedProofs.set(jti, Date.now() + 120_000)
  return true
}

const ask = askWith(verify)
const client = await makeKey('ES256', 'client')
const jkt = await calculateJwkThumbprint(client.jwk)
const token = await sign(key, { cnf: { jkt } })

function prove(by: SigningKey, claims: Record<string, unknown> = {}, header = {}) {
  const { kty, crv, x, y } = by.jwk
  return new SignJWT({
    jti: randomUUID(),
    htm: 'GET',
    htu: 'https://api.example/plants',
    ath: createHash('sha256').update(token).digest('base64url'),
    iat: now(),
    ...claims,
  })
    .setProtectedHeader({ alg: by.alg, typ: 'dpop+jwt', jwk: { kty, crv, x, y } as JWK, ...header })
    .sign(by.privateKey)
}

describe('DPoP', () => {
  it('lets in who proves to have the key that the token is bound to', async () => {
    expect(await ask(token, { dpop: await prove(client) })).toBe(200)
  })

  it('lets nobody in with a stolen token', async () => {
    const stranger = await makeKey('ES256', 'stranger')
    expect(await ask(token)).toBe(401)
    expect(await ask(token, { dpop: await prove(stranger) })).toBe(401)
    expect(await ask(await sign(key), { dpop: await prove(client) })).toBe(401)
  })

  it('lets nobody in with a stolen proof', async () => {
    const proof = await prove(client)
    expect(await ask(token, { dpop: proof })).toBe(200)
    expect(await ask(token, { dpop: proof })).toBe(401)
    for (const claims of [
      { htm: 'POST' },
      { htu: 'https://evil.example/plants' },
      { iat: now() - 120 },
      { ath: createHash('sha256').update('another token').digest('base64url') },
    ]) {
      expect(await ask(token, { dpop: await prove(client, claims) })).toBe(401)
    }
    expect(await ask(token, { dpop: await prove(client, {}, { typ: 'JWT' }) })).toBe(401)
    expect(await ask(token, { dpop: `${await prove(client)}, ${await prove(client)}` })).toBe(401)
  })
})
