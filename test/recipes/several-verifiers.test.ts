import { describe, expect, it } from 'vitest'
import { jwtVerifier } from '../../src/auth/jwt.ts'
import { staticTokens } from '../../src/auth/tokens.ts'
import type { AuthVerifier } from '../../src/auth-verifier.ts'
import { AUDIENCE, makeKey, sign } from '../src/auth/issuer.ts'
import { askWith } from './ask.ts'

function firstOf(...verifiers: AuthVerifier[]): AuthVerifier {
  return async (token, request) => {
    for (const verify of verifiers) {
      const caller = await verify(token, request)
      if (caller) return caller
    }
    return null
  }
}

const staff = await makeKey('ES256', 'staff')
const customers = await makeKey('ES256', 'customers')
// Two issuers may both know somebody as 7: what each calls its owners must not meet.
const issuedBy = (name: string, { jwk }: typeof staff) =>
  jwtVerifier({
    jwks: { keys: [jwk] },
    issuer: `https://${name}.example`,
    audience: AUDIENCE,
    owner: ({ sub }) => (typeof sub === 'string' && sub !== '' ? `${name}:${sub}` : null),
  })

const verify = firstOf(
  staticTokens({ 'nightly-job': { owner: 'staff:robot', scopes: ['plants:read'] } }),
  issuedBy('staff', staff),
  issuedBy('customers', customers),
)
const ask = askWith(verify)
const context = { request: new Request('https://api.example/plants') }

describe('several verifiers', () => {
  it('lets in who one of them lets in', async () => {
    expect(await ask('nightly-job')).toBe(200)
    expect(await ask('nightly-job', {}, 'POST')).toBe(403)
    const token = await sign(staff, { iss: 'https://staff.example', sub: '7' })
    expect(await verify(token, context)).toEqual({ owner: 'staff:7' })
  })

  it('keeps owners of one name apart', async () => {
    const token = await sign(customers, { iss: 'https://customers.example', sub: '7' })
    expect(await verify(token, context)).toEqual({ owner: 'customers:7' })
  })

  it('lets nobody in with the key of one issuer and the name of another', async () => {
    expect(await ask(await sign(customers, { iss: 'https://staff.example', sub: '7' }))).toBe(401)
    expect(await ask('invented')).toBe(401)
  })

  it('says 503, not 401, when one of them can not tell', async () => {
    const down = () => Promise.reject(new Error('down'))
    expect(await askWith(firstOf(staticTokens({ a: 'alice' }), down))('a')).toBe(200)
    expect(await askWith(firstOf(staticTokens({ a: 'alice' }), down))('b')).toBe(503)
  })
})
