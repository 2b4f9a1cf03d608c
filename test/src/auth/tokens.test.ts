import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { token68 } from '../../shared/token68.ts'

describe('staticTokens', () => {
  it.each(['', 'undefined', 'null'])('rejects the token of an unset variable: %j', (token) => {
    expect(() => staticTokens({ good: 'alice', [token]: 'bob' })).toThrow(
      `token 2 of 2 is "${token}": the variable that it comes from is probably not set`,
    )
  })

  it('accepts exactly the configured tokens', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(token68(), { minLength: 1, maxLength: 50 }),
        fc.array(fc.oneof(token68(), fc.string())),
        (known, others) => {
          const verify = staticTokens(ownerByToken(known.map((token) => [token, `of ${token}`])))
          for (const token of known) expect(verify(token)).toEqual({ owner: `of ${token}` })
          for (const token of others) {
            if (!known.includes(token)) expect(verify(token)).toBeNull()
          }
        },
      ),
    )
  })

  it('accepts tokens of up to 16 KiB, the limit of a header', () => {
    const long = '~'.repeat(16_384)
    const verify = staticTokens({ [long]: 'alice' })
    expect(verify(long)).toEqual({ owner: 'alice' })
    expect(verify(`${long.slice(1)}y`)).toBeNull()
    expect(verify(`${long}~`)).toBeNull()
    expect(() => staticTokens({ [`${long}~`]: 'alice' })).toThrow(
      /^token 1 of 1 must be .* and at most 16384 characters; got 16385$/,
    )
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'accepts %s only when it was given',
    (name) => {
      expect(staticTokens({ s3cret: 'alice' })(name)).toBeNull()
      expect(staticTokens(ownerByToken([[name, 'alice']]))(name)).toEqual({ owner: 'alice' })
    },
  )

  it('copies the object it was given', () => {
    const scopes: ('plants:read' | 'plants:write')[] = ['plants:read']
    const callers: Record<string, { owner: string; scopes: typeof scopes }> = {
      s3cret: { owner: 'alice', scopes },
    }
    const verify = staticTokens(callers)
    scopes.push('plants:write')
    callers.s3cret!.owner = 'mallory'
    callers.more = { owner: 'mallory', scopes: [] }
    expect(verify('s3cret')).toEqual({ owner: 'alice', scopes: ['plants:read'] })
    expect(verify('more')).toBeNull()
    expect(() => Object.assign(verify('s3cret')!, { owner: 'mallory' })).toThrow(TypeError)
  })

  it.each(['with space', 'a=b', '=', 'ümlaut', 'line\nbreak', 'comma,'])(
    'refuses the token %j, which no request can carry',
    (token) => {
      expect(() => staticTokens({ good: 'alice', [token]: 'bob' })).toThrow(
        /^token 2 of 2 must be one or more of A-Z.*; got a character where it isn't allowed$/,
      )
    },
  )

  const OWNER =
    'The owner of token 1 of 1 must be a string that is not empty, without U+0000 and lone surrogates; got'
  const SCOPE = 'Each scope of token 1 of 1 must be plants:read or plants:write; got'
  const scoped = (scopes: unknown) => ({ owner: 'alice', scopes })
  it.each<[string, unknown, string]>([
    ['an empty owner', '', `${OWNER} an empty string`],
    ['an owner with U+0000', 'a\0b', OWNER],
    ['an owner with a lone surrogate', '\ud800', OWNER],
    ['a number', 5, `${OWNER} a number`],
    ['an owner that is not text', { owner: 7 }, `${OWNER} a number`],
    ['an unknown scope', scoped(['plants:read', 'plants:water']), `${SCOPE} 'plants:water'`],
    ['a scope that is a bigint', scoped([7n]), `${SCOPE} a bigint`],
    [
      'scopes that are text',
      scoped('plants:read'),
      'The scopes of token 1 of 1 must be an array; got a string',
    ],
    [
      'a misspelt scopes, which would grant everything',
      { owner: 'alice', scope: ['plants:read'] },
      'token 1 of 1 has the unknown property "scope"; allowed are owner and scopes',
    ],
  ])('refuses %s without naming the token', (_, caller, message) => {
    const build = () => staticTokens({ 's3cret-token': caller as string })
    expect(build).toThrow(TypeError)
    expect(build).toThrow(message)
    expect(build).not.toThrow('s3cret-token')
  })

  it.each<[string, unknown, string]>([
    ['a Map', new Map([['s3cret', 'alice']]), 'an object without tokens'],
    ['no tokens', {}, 'an object without tokens'],
    ['a list', ['s3cret'], 'an array'],
    ['a token alone', 's3cret', 'a string'],
    ['nothing', undefined, 'undefined'],
  ])('refuses %s, and does not tell it', (_, callers, got) => {
    const build = () => staticTokens(callers as Record<string, string>)
    const message = `staticTokens needs an object such as { token: 'owner' }; got ${got}`
    expect(build).toThrow(new TypeError(message))
  })
})

/** Not an object literal, in which __proto__ would be no token. */
function ownerByToken(entries: [string, string][]): Record<string, string> {
  return Object.fromEntries(entries)
}
