import { createHash, randomBytes } from 'node:crypto'
import { jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import type { AuthVerifier } from '../../src/auth-verifier.ts'
import { AUDIENCE, ISSUER, makeKey, sign } from '../src/auth/issuer.ts'
import { askWith } from './ask.ts'

const key = await makeKey('ES256', 'key')

// RFC 8705 behind a proxy that ends TLS, and that sets Client-Cert (RFC 9440) whatever the client sent.
const verify: AuthVerifier = async (token, { request }) => {
  const jwt = await jwtVerify(token, key.publicKey, {
    issuer: ISSUER,
    audience: AUDIENCE,
    algorithms: ['ES256'],
    requiredClaims: ['exp', 'sub', 'cnf'],
  }).catch(() => null)
  const certificate = /^:([\w+/]+=*):$/.exec(request.headers.get('client-cert') ?? '')?.[1]
  if (!jwt || !certificate) return null
  const thumbprint = createHash('sha256').update(certificate, 'base64').digest('base64url')
  const { 'x5t#S256': bound } = Object(jwt.payload.cnf)
  return bound === thumbprint ? { owner: jwt.payload.sub! } : null
}
const ask = askWith(verify)

const der = randomBytes(700)
const clientCert = (bytes: Buffer) => ({ 'client-cert': `:${bytes.toString('base64')}:` })
const bound = { cnf: { 'x5t#S256': createHash('sha256').update(der).digest('base64url') } }

describe('mutual TLS', () => {
  it('lets in who has the certificate that the token is bound to', async () => {
    expect(await ask(await sign(key, bound), clientCert(der))).toBe(200)
  })

  it('lets nobody in with a stolen token', async () => {
    const token = await sign(key, bound)
    expect(await ask(token)).toBe(401)
    expect(await ask(token, clientCert(randomBytes(700)))).toBe(401)
    expect(await ask(token, { 'client-cert': '::' })).toBe(401)
    expect(await ask(await sign(key), clientCert(der))).toBe(401)
    expect(await ask(await sign(key, { cnf: {} }), clientCert(der))).toBe(401)
    expect(await ask(await sign(await makeKey('ES256', 'key'), bound), clientCert(der))).toBe(401)
  })
})
