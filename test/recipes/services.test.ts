import type { JWTPayload } from 'jose'
import { describe, expect, it } from 'vitest'
import { jwtVerifier } from '../../src/auth/jwt.ts'
import { guideFiles } from '../docs/guides/guide-files.ts'
import { codeBlocks, GUIDES } from '../docs/guides/guides.ts'
import { makeKey, now, sign } from '../src/auth/issuer.ts'
import { toOptions } from './services.ts'

/** The pages that show the options for a service. */
const pages = GUIDES.filter((guide) => codeBlocks(guide).some(({ file }) => file === 'verify.mts'))
const importers = new Map(pages.map((page) => [page, guideFiles(page, toOptions)]))
const rsa = await makeKey('RS256', 'one')
const ecdsa = await makeKey('ES256', 'one')

interface Shape {
  service: string
  /** Default: one of RSA. */
  key?: typeof rsa
  claims: JWTPayload
  caller: unknown
  /** Each makes the token a wrong one. */
  wrong: JWTPayload[]
}

// The claims that matter, as each service's documentation shows them.
const shapes: Shape[] = [
  {
    service: 'auth0',
    claims: {
      iss: 'https://TENANT.auth0.com/',
      aud: ['https://plants.example', 'https://TENANT.auth0.com/userinfo'],
      sub: 'auth0|6553da60',
      scope: 'openid plants:read',
    },
    caller: { owner: 'auth0|6553da60', scopes: ['openid', 'plants:read'] },
    wrong: [{ iss: 'https://TENANT.auth0.com' }, { aud: 'https://TENANT.auth0.com/userinfo' }],
  },
  {
    service: 'clerk',
    claims: {
      iss: 'https://clerk.plants.example',
      aud: undefined,
      sub: 'user_2abc',
      azp: 'https://plants.example',
    },
    caller: { owner: 'user_2abc' },
    wrong: [
      { azp: 'https://evil.example' },
      { azp: undefined },
      { iss: 'https://clerk.evil.example' },
    ],
  },
  {
    service: 'cognito',
    claims: {
      iss: 'https://cognito-idp.REGION.amazonaws.com/POOL',
      aud: undefined,
      sub: 'a1b2',
      client_id: 'CLIENT_ID',
      token_use: 'access',
      scope: 'openid plants/write',
    },
    caller: { owner: 'a1b2', scopes: ['plants:write'] },
    wrong: [{ token_use: 'id' }, { client_id: 'ANOTHER' }, { sub: undefined }],
  },
  {
    service: 'entra-id',
    claims: {
      iss: 'https://login.microsoftonline.com/TENANT_ID/v2.0',
      aud: 'API_CLIENT_ID',
      sub: 'differs from app to app',
      oid: '00000000-0000-0000-66f3-3332eca7ea81',
      scp: 'plants:read plants:write',
    },
    caller: {
      owner: '00000000-0000-0000-66f3-3332eca7ea81',
      scopes: ['plants:read', 'plants:write'],
    },
    wrong: [{ aud: 'ANOTHER' }, { iss: 'https://login.microsoftonline.com/ANOTHER/v2.0' }],
  },
  {
    service: 'keycloak',
    claims: {
      iss: 'https://HOST/realms/REALM',
      aud: ['plants', 'account'],
      sub: 'f3c1',
      scope: 'profile plants:read',
    },
    caller: { owner: 'f3c1', scopes: ['profile', 'plants:read'] },
    wrong: [{ aud: 'account' }, { iss: 'https://HOST/realms/ANOTHER' }],
  },
  {
    service: 'supabase',
    key: ecdsa,
    claims: {
      iss: 'https://PROJECT.supabase.co/auth/v1',
      aud: 'authenticated',
      sub: '123e4567-e89b-12d3-a456-426614174000',
    },
    caller: { owner: '123e4567-e89b-12d3-a456-426614174000' },
    wrong: [{ aud: 'anon' }, { iss: 'https://ANOTHER.supabase.co/auth/v1' }],
  },
]

describe('The options that the guide shows', () => {
  it('are tried for each service', () => {
    // Better Auth itself signs the tokens of sign-in.test.ts.
    const services = [...shapes.map(({ service }) => service), 'better-auth']
    const tried = services.map((service) => `docs/sign-in/${service}.md`)
    expect(tried.sort()).toEqual(pages.sort())
  })

  it.each(shapes)('let a token of $service in, and no other', async (shape) => {
    const { service, key = rsa, claims, caller, wrong } = shape
    const { options } = await importers.get(`docs/sign-in/${service}.md`)!('verify.mts')
    const verify = jwtVerifier({ ...options, jwks: { keys: [key.jwk] } })
    const good = { ...claims, exp: now() + 60 }
    expect(await verify(await sign(key, good))).toEqual(caller)
    for (const change of [...wrong, { exp: now() - 60 }]) {
      expect(await verify(await sign(key, { ...good, ...change }))).toBeNull()
    }
  })
})
