import { DatabaseSync } from 'node:sqlite'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { bearer, jwt } from 'better-auth/plugins'
import { beforeAll, describe, expect, it } from 'vitest'
import { jwtVerifier } from '../../src/auth/jwt.ts'
import type { AuthVerifier } from '../../src/auth-verifier.ts'
import { guideFiles } from '../docs/guides/guide-files.ts'
import { askWith } from './ask.ts'
import { toOptions } from './services.ts'

const importFile = guideFiles('docs/sign-in/better-auth.md', toOptions)
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

const verify: AuthVerifier = async (token) => {
  // The token alone: with all the headers, a cookie would let in too.
  const headers = new Headers({ authorization: `Bearer ${token}` })
  const session = await auth.api.getSession({ headers })
  return session && { owner: session.user.id }
}
const ask = askWith(verify)

let token = ''
beforeAll(async () => {
  await (await getMigrations(options)).runMigrations()
  const signedUp = await auth.api.signUpEmail({
    body: { email: 'alice@plants.example', password: 'correct horse', name: 'Alice' },
  })
  token = signedUp.token!
})

describe('Better Auth', () => {
  it('lets a session in, as its user', async () => {
    expect(await ask(token)).toBe(200)
    const request = new Request('http://localhost')
    const caller = await verify(token, {
      request,
      signal: request.signal,
      refuse: () => null,
    })
    const [user] = database.prepare('SELECT id FROM user').all()
    expect(caller).toEqual({ owner: user!.id })
  })

  it('lets nobody else in', async () => {
    expect(await ask('invented')).toBe(401)
    expect(await ask('invented', { cookie: `better-auth.session_token=${token}` })).toBe(401)
    const { headers } = await auth.api.signInEmail({
      body: { email: 'alice@plants.example', password: 'correct horse' },
      returnHeaders: true,
    })
    const cookie = headers.get('set-cookie')!.split(';')[0]!
    expect(await auth.api.getSession({ headers: new Headers({ cookie }) })).not.toBeNull()
    expect(await ask('invented', { cookie })).toBe(401)
  })

  it('lets nobody in who has signed out', async () => {
    const { token } = await auth.api.signInEmail({
      body: { email: 'alice@plants.example', password: 'correct horse' },
    })
    expect(await ask(token)).toBe(200)
    await auth.api.signOut({ headers: new Headers({ authorization: `Bearer ${token}` }) })
    expect(await ask(token)).toBe(401)
  })

  it('signs JWTs that jwtVerifier accepts with the options that the guide shows', async () => {
    const { options: shown } = await importFile('verify.mts')
    const headers = new Headers({ authorization: `Bearer ${token}` })
    const { token: signed } = await auth.api.getToken({ headers })
    const response = await auth.handler(new Request(`${options.baseURL}/api/auth/jwks`))
    const local = {
      jwks: await response.json(),
      issuer: options.baseURL,
      audience: options.baseURL,
    }
    const [user] = database.prepare('SELECT id FROM user').all()
    expect(await jwtVerifier({ ...shown, ...local })(signed)).toEqual({ owner: user!.id })
    expect(await jwtVerifier({ ...shown, jwks: local.jwks })(signed)).toBeNull()
    expect(new URL(shown.jwks).pathname).toBe('/api/auth/jwks')
  })

  it('says 503 while its database is out of reach', async () => {
    database.close()
    expect(await ask(token)).toBe(503)
  })
})
