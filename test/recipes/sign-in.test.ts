import { DatabaseSync } from 'node:sqlite'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { bearer, jwt } from 'better-auth/plugins'
import type { JWTPayload } from 'jose'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { jwtVerifier } from '../../src/auth/jwt.ts'
import { staticTokens } from '../../src/auth/tokens.ts'
import type { AuthVerifier } from '../../src/auth-verifier.ts'
import { createPlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { guideFiles } from '../docs/guides/guide-files.ts'
import { codeBlocks, GUIDES } from '../docs/guides/guides.ts'
import { makeKey, now, sign, startKeyServer } from '../src/auth/issuer.ts'

/** Makes a page's file export the options of its verifier, so that a test can give it other keys. */
const toOptions = (code: string) => code.replace('verify = jwtVerifier(', 'options = (')

/** Makes a store with this verifier, and a function that says what status a request gets from it. */
function askWith(verify: AuthVerifier) {
  const store = createPlantStore(memoryStorage(), verify, { onError() {} })
  return async (token: string, headers: Record<string, string> = {}, method = 'GET') => {
    const request = new Request('https://api.example/plants', {
      method,
      headers: { ...headers, authorization: `Bearer ${token}` },
    })
    return (await store.fetch(request)).status
  }
}

const apiKeys = guideFiles('docs/sign-in/api-keys.md', (code) =>
  code
    .replace("'keys.db'", "':memory:'")
    .replaceAll(/^const (database|hash)\b/gm, 'export const $1'),
)

it('An API key lets in for what it is for, unless it is invented, expired, deleted, or what the table holds', async () => {
  const { database, hash, issueKey, verify } = await apiKeys('api-keys.mts')
  onTestFinished(() => database.close())
  const ask = askWith(verify)
  const key = issueKey('alice', ['plants:read'], Date.now() + 60_000)
  expect(await ask(key)).toBe(200)
  expect(await ask(key, {}, 'POST')).toBe(403)
  expect(await ask(issueKey('alice', ['plants:read']))).toBe(200)
  expect(await ask(issueKey('alice', ['plants:write']))).toBe(403)

  expect(await ask('plants_invented')).toBe(401)
  expect(await ask(issueKey('alice', ['plants:read'], Date.now() - 1))).toBe(401)
  expect(await ask(hash(key))).toBe(401)
  database.prepare('DELETE FROM api_keys WHERE hash = ?').run(hash(key))
  expect(await ask(key)).toBe(401)
})

const overload = guideFiles('docs/tasks/overload.md', (code) =>
  code.replace("'lru-cache'", `'${import.meta.resolve('lru-cache')}'`),
)

it('A cached token never waits, however many unknown tokens the database is asked about', async () => {
  const { cached } = await overload('cached.mts')
  const asked: string[] = []
  const ask = askWith(
    cached((token: string) => {
      asked.push(token)
      return token === 'a1' ? Promise.resolve({ owner: 'alice' }) : new Promise(() => {})
    }),
  )
  expect(await ask('a1')).toBe(200)
  for (let i = 0; i < 50; i++) void ask(`unknown-${i}`)
  expect(await ask('a1')).toBe(200)
  expect(asked).toHaveLength(21)
})

const rateLimits = guideFiles('docs/sign-in/rate-limits.md')

it('An owner gets 429 beyond the limit, for a minute at most, and neither others nor wrong tokens count', async () => {
  const { limited } = await rateLimits('limited.mts')
  const verify = limited(staticTokens({ a: 'alice', b: 'bob' }), 2)
  const ask = askWith(verify)
  for (const status of [200, 200, 429]) expect(await ask('a')).toBe(status)
  await expect(verify('a')).rejects.toMatchObject({ retryAfterSeconds: 60 })
  for (let i = 0; i < 3; i++) expect(await ask('invented')).toBe(401)
  expect(await ask('b')).toBe(200)
})

describe('Better Auth', async () => {
  const importFile = guideFiles('docs/sign-in/better-auth.md', (code) =>
    toOptions(code)
      .replaceAll(/^import .+ from 'better-auth.*\n/gm, '')
      .replace('betterAuth({ plugins: [bearer()] })', 'globalThis.testAuth'),
  )
  const database = new DatabaseSync(':memory:')
  const options = {
    baseURL: 'http://localhost:3000',
    secret: 'a secret for this test, and no other',
    database,
    emailAndPassword: { enabled: true },
    plugins: [bearer(), jwt()],
    logger: { disabled: true },
  } satisfies BetterAuthOptions
  const auth = betterAuth(options)
  const bearerOf = (token: string) => new Headers({ authorization: `Bearer ${token}` })

  Object.assign(globalThis, { testAuth: auth })
  const { verify } = await importFile('session.mts')
  const ask = askWith(verify)

  await (await getMigrations(options)).runMigrations()
  const credentials = { email: 'alice@plants.example', password: 'correct horse' }
  const { user, token } = await auth.api.signUpEmail({ body: { ...credentials, name: 'Alice' } })

  it('lets a session in until its user signs out, and nobody else', async () => {
    const { headers, response } = await auth.api.signInEmail({
      body: credentials,
      returnHeaders: true,
    })
    const { token } = response
    expect(await ask(token)).toBe(200)
    expect(await ask('in.vented', { cookie: headers.get('set-cookie')! })).toBe(401)
    await auth.api.signOut({ headers: bearerOf(token) })
    expect(await ask(token)).toBe(401)
  })

  it('signs JWTs that jwtVerifier accepts with the options that the guide shows', async () => {
    const { options: shown } = await importFile('verify.mts')
    const { token: signed } = await auth.api.getToken({ headers: bearerOf(token!) })
    const response = await auth.handler(new Request(`${options.baseURL}/api/auth/jwks`))
    const local = {
      jwks: await response.json(),
      issuer: options.baseURL,
      audience: options.baseURL,
    }
    expect(await jwtVerifier({ ...shown, ...local })(signed)).toEqual({ owner: user.id })
    for (const name of ['issuer', 'audience']) {
      const verify = jwtVerifier({ ...shown, ...local, [name]: shown[name] })
      expect(await verify(signed)).toBeNull()
    }
    expect(new URL(shown.jwks).pathname).toBe('/api/auth/jwks')
  })
})

describe('Several verifiers', async () => {
  const key = await makeKey('ES256', 'key')
  const keyServer = await startKeyServer([key])
  afterAll(keyServer.close)
  const importFile = guideFiles('docs/sign-in/several-verifiers.md', (code) =>
    code
      .replace('process.env.JOB_TOKEN!', "'nightly-job'")
      .replace('https://login.example/.well-known/jwks.json', keyServer.url)
      .replaceAll(/^(const verify|function firstOf)\b/gm, 'export $1'),
  )
  const { verify, firstOf } = await importFile('several-verifiers.mts')

  it('let in who one of them lets in, by owners of different prefixes, and nobody else', async () => {
    const ask = askWith(verify)
    expect(await ask('nightly-job')).toBe(200)
    expect(await verify('nightly-job')).toEqual({ owner: 'job:nightly' })
    expect(await verify(await sign(key, { sub: 'nightly' }))).toEqual({ owner: 'user:nightly' })
    expect(await ask('invented')).toBe(401)
    expect(await ask(await sign(key, { iss: 'https://another.example' }))).toBe(401)
  })

  it('say 503, not 401, when one of them can not tell', async () => {
    const down = () => Promise.reject(new Error('down'))
    const askBoth = askWith(firstOf(staticTokens({ a: 'alice' }), down))
    expect([await askBoth('a'), await askBoth('b')]).toEqual([200, 503])
  })
})

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
    // Better Auth itself signs tokens above.
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
