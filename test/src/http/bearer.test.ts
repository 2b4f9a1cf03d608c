import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bearerToken } from '../../../src/http/bearer.ts'

// RFC 9110, section 11.2, word for word.
const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/
const CHARACTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/']

const tokenFrom = (authorization: string | null) => bearerToken({ get: () => authorization })

/** Texts on both sides of where isToken68 changes its method, mostly of the right characters. */
const text = fc
  .tuple(
    fc.constantFrom(0, 1, 50, 98, 99, 100, 101, 660, 4000),
    fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 3 }),
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('', '=', '==', '====') },
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom('=a', 'a=a', ',', ' ', '\0', '\x7f', '\x80', 'ÿ', '\ud800', '€', '🌿'),
    ),
    fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 3 }),
  )
  .map(([length, start, odd, end]) => [start + 'x'.repeat(length), odd, end])
  .chain(([long, odd, end]) =>
    fc.constantFrom(`${long}${odd}`, `${long}${odd}${end}`, `${odd}${long}`, `${end}${odd}${long}`),
  )

describe('bearerToken', () => {
  it('returns the token of Bearer credentials with a token68, and of no others', () => {
    fc.assert(
      fc.property(text, (token) => {
        // Spaces in front belong to the scheme.
        const isToken = TOKEN68.test(token.replace(/^ +/, ''))
        expect(tokenFrom(`Bearer ${token}`)).toBe(isToken ? token.replace(/^ +/, '') : undefined)
      }),
      { numRuns: 2000 },
    )
  })

  it.each([99, 100, 101, 102, 103, 16_383, 16_384, 16_385, 100_000])(
    'checks each character of a token of %i',
    (length) => {
      const token = CHARACTERS.join('')
        .repeat(Math.ceil(length / CHARACTERS.length))
        .slice(-length)
      expect(tokenFrom(`Bearer ${token}`)).toBe(token)
      for (const index of [0, 1, 2, 3, length >> 1, length - 3, length - 2, length - 1]) {
        for (const bad of [',', '\0', 'é', '€', '\udc00', '"']) {
          const other = token.slice(0, index) + bad + token.slice(index + 1)
          expect(tokenFrom(`Bearer ${other}`)).toBeUndefined()
        }
        const padded = token.slice(0, index) + '='.repeat(length - index)
        expect(tokenFrom(`Bearer ${padded}`)).toBe(index === 0 ? undefined : padded)
      }
    },
  )

  it('reads the scheme in any case, with one or more spaces', () => {
    for (const scheme of ['Bearer ', 'bearer ', 'BEARER ', 'bEaReR    ']) {
      expect(tokenFrom(`${scheme}s3cret`)).toBe('s3cret')
    }
  })

  it.each([
    ...[null, '', 'Bearer', 'Bearer ', 'Bearer  ', 's3cret', 'Bearers3cret', 'Bearer\ts3cret'],
    ...[
      ' Bearer s3cret',
      'Bearer s3cret ',
      'Bearer a b',
      'Bearer a, Bearer b',
      'Bearer =',
      'Bearer =',
    ],
    ...['Basic YTpi', 'DPoP s3cret', 'Bearer s3cret\n', 'Bearer a=b', `Bearer ${'='.repeat(200)}`],
  ])('is undefined for %j', (authorization) => {
    expect(tokenFrom(authorization)).toBeUndefined()
  })
})
