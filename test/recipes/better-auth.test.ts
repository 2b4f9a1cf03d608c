import { DatabaseSync } from 'node:sqlite'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { bearer, jwt } from 'better-auth/plugins'
import { beforeAll, describe, expect, it } from 'vitest'
import { jwtVerifier } from '../../src/auth/jwt.ts'
import { guideFiles } from '../docs/guides/guide-files.ts'
import { askWith } from '../shared/ask.ts'
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

// As the page shows it.
const ask = askWith(async (token) => {
  // The token alone: with all the headers, a cookie would let in too.
  const headers = new Headers({ authorization: `Bearer ${token}` })
  const session = await auth.api.getSession({ headers })
  return session && { owner: session.user.id }
})

const CREDENTIALS = { email: 'alice@plants.example', password: 'correct horse' }
let token = ''
beforeAll(async () => {
  await (await getMigrations(options)).runMigrations()
  const signedUp = await auth.api.signUpEmail({ body: { ...CREDENTIALS, name: 'Alice' } })
  token = signedUp.token!
})

describe('Better Auth', () => {
  it('lets a session in until its user signs out, and nobody else', async () => {
    const { token } = await auth.api.signInEmail({ body: CREDENTIALS })
    expect(await ask(token)).toBe(200)
    expect(await ask('invented', { cookie: `better-auth.session_token=${token}` })).toBe(401)
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
    for (const name of ['issuer', 'audience']) {
      const verify = jwtVerifier({ ...shown, ...local, [name]: shown[name] })
      expect(await verify(signed)).toBeNull()
    }
    expect(new URL(shown.jwks).pathname).toBe('/api/auth/jwks')
  })
})
