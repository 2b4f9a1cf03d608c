import { afterAll, describe, expect, it } from 'vitest'
import { staticTokens } from '../../src/auth/tokens.ts'
import { guideFiles } from '../docs/guides/guide-files.ts'
import { askWith } from '../shared/ask.ts'
import { makeKey, sign, startKeyServer } from '../src/auth/issuer.ts'

const key = await makeKey('ES256', 'key')
const keyServer = await startKeyServer([key])
afterAll(() => keyServer.close())

const importFile = guideFiles('docs/sign-in/several-verifiers.md', (code) =>
  code
    .replace('process.env.JOB_TOKEN!', "'nightly-job'")
    .replace('https://login.example/.well-known/jwks.json', keyServer.url)
    .replaceAll(/^(const verify|function firstOf)\b/gm, 'export $1'),
)
const { verify, firstOf } = await importFile('several-verifiers.mts')
const ask = askWith(verify)

describe('several verifiers', () => {
  it('let in who one of them lets in, by owners of different prefixes', async () => {
    expect(await ask('nightly-job')).toBe(200)
    expect(await verify('nightly-job')).toEqual({ owner: 'job:nightly' })
    expect(await verify(await sign(key, { sub: 'nightly' }))).toEqual({ owner: 'user:nightly' })
  })

  it('let in nobody else', async () => {
    expect(await ask('invented')).toBe(401)
    expect(await ask(await sign(key, { iss: 'https://another.example' }))).toBe(401)
  })

  it('say 503, not 401, when one of them can not tell', async () => {
    const down = () => Promise.reject(new Error('down'))
    const askBoth = askWith(firstOf(staticTokens({ a: 'alice' }), down))
    expect([await askBoth('a'), await askBoth('b')]).toEqual([200, 503])
  })
})
