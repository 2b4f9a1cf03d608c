import { afterAll, describe, expect, it } from 'vitest'
import { jwtVerifier } from '../../src/auth/jwt.ts'
import { makeKey, now, sign, startKeyServer } from '../src/auth/issuer.ts'
import { askWith } from './ask.ts'

const key = await makeKey('RS256', 'ins_2abc')
const clerk = await startKeyServer([key])
afterAll(() => clerk.close())

const ask = askWith(
  jwtVerifier({
    jwks: clerk.url,
    issuer: 'https://clerk.plants.example',
    // Clerk's session tokens have no aud: azp says which page the user has signed in on.
    audience: false,
    owner: ({ azp, sub }) => (azp === 'https://plants.example' ? (sub as string) : null),
    clockToleranceSeconds: 5,
  }),
)

const session = {
  iss: 'https://clerk.plants.example',
  sub: 'user_2abc',
  sid: 'sess_2abc',
  azp: 'https://plants.example',
  aud: undefined,
  exp: now() + 60,
  nbf: now() - 10,
}

describe('Clerk', () => {
  it('lets the session token of our own page in', async () => {
    expect(await ask(await sign(key, session))).toBe(200)
  })

  it('lets nobody in with the token of another page, another instance, or another time', async () => {
    expect(await ask(await sign(key, { ...session, azp: 'https://evil.example' }))).toBe(401)
    expect(await ask(await sign(key, { ...session, azp: undefined }))).toBe(401)
    expect(await ask(await sign(key, { ...session, iss: 'https://clerk.evil.example' }))).toBe(401)
    expect(await ask(await sign(key, { ...session, exp: now() - 60 }))).toBe(401)
    expect(await ask(await sign(await makeKey('RS256', 'ins_2abc'), session))).toBe(401)
  })
})
