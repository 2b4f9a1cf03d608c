import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { staticTokens } from '../../../src/auth/tokens.ts'

const token68 = fc.stringMatching(/^[\w.~+/-]{1,60}={0,2}$/)

describe('staticTokens', () => {
  it.each(['', 'undefined', 'null'])('rejects the token of an unset variable: %j', (token) => {
    expect(() => staticTokens({ good: 'alice', [token]: 'bob' })).toThrow(
      `token 2 of 2 is "${token}": the variable that it comes from is probably not set`,
    )
  })

  it('accepts exactly the configured tokens', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(token68, { minLength: 1, maxLength: 50 }),
        fc.array(fc.oneof(token68, fc.string())),
        (known, others) => {
          const owners = known.map((token) => [token, `of ${token}`])
          const verify = staticTokens(Object.fromEntries(owners))
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
      // In an object literal, __proto__ would be no token.
      const callers = Object.fromEntries([[name, 'alice']])
      expect(staticTokens(callers)(name)).toEqual({ owner: 'alice' })
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

  const CALLER = 'The caller of token 1 of 1 must be an owner or { owner, scopes }, with'
  const OWNER = `${CALLER} a non-empty owner without U+0000 or a lone surrogate; got`
  const SCOPES = `${CALLER} an array of granted scopes as scopes; got`
  const SCOPE = 'Each scope of token 1 of 1 must be plants:read or plants:write; got'
  const ENTRIES = "staticTokens needs an object such as { token: 'owner' }; got"
  const one = (caller: unknown) => ({ 's3cret-token': caller })
  const scoped = (scopes: unknown) => one({ owner: 'alice', scopes })
  it.each<[string, unknown, string]>([
    ['an empty owner', one(''), `${OWNER} an empty string as owner`],
    ['an owner with U+0000', one('a\0b'), OWNER],
    ['an owner with a lone surrogate', one('\ud800'), OWNER],
    ['a number', one(5), `${OWNER} a number without owner`],
    ['an owner that is not text', one({ owner: 7 }), `${OWNER} a number as owner`],
    ['an unknown scope', scoped(['plants:read', 'plants:water']), `${SCOPE} 'plants:water'`],
    ['a scope that is a bigint', scoped([7n]), `${SCOPE} a bigint`],
    ['scopes that are text', scoped('plants:read'), `${SCOPES} a string`],
    ['scope for scopes', one({ owner: 'alice', scope: ['plants:read'] }), `${SCOPES} scope`],
    [
      'a misspelt scopes, which would grant everything',
      one({ owner: 'alice', scpoes: ['plants:read'] }),
      'The caller of token 1 of 1 has no option scpoes; the options are owner, scopes',
    ],
    ['a Map', new Map([['s3cret', 'alice']]), `${ENTRIES} an object without tokens`],
    ['no tokens', {}, `${ENTRIES} an object without tokens`],
    ['a list', ['s3cret'], `${ENTRIES} an array`],
    ['a token alone', 's3cret', `${ENTRIES} a string`],
    ['nothing', undefined, `${ENTRIES} undefined`],
  ])('refuses %s, and does not tell the token', (_, callers, message) => {
    const build = () => staticTokens(callers as Record<string, string>)
    expect(build).toThrow(TypeError)
    expect(build).toThrow(message)
    expect(build).not.toThrow('s3cret')
  })
})
