import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'

const MAX_LENGTH = 16_384
const CHARACTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/']
const token = fc
  .tuple(
    fc.string({ unit: fc.constantFrom(...CHARACTERS), minLength: 1, maxLength: 100 }),
    fc.constantFrom('', '=', '=='),
  )
  .map(([text, padding]) => text + padding)

afterEach(() => {
  vi.restoreAllMocks()
  vi.resetModules()
})

async function load() {
  const { hashToken, isToken68 } = await import('../../../src/http/token-hash.ts')
  const { createTokenMap } = await import('../../../src/auth/shared/token-map.ts')
  const hash = (text: string) => hashToken(text)?.join() ?? null
  const createMap = <Value>(maxEntries: number) => {
    const map = createTokenMap<Value>(maxEntries)
    return {
      get: (text: string) => map.get(hashToken(text)!),
      set: (text: string, value: Value) => map.set(hashToken(text)!, value),
      clear: map.clear,
    }
  }
  return { hash, isToken68, createMap }
}

/** Makes the secret random numbers known: each is below 2^25. */
function useRandomNumbers(numberAt: (index: number) => number) {
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
    const numbers = array as unknown as Uint32Array
    for (let index = 0; index < numbers.length; index++) numbers[index] = numberAt(index) * 2 ** 7
    return array
  })
}

describe('the hash of a token', () => {
  it('depends on the token only, whatever was checked or hashed before', async () => {
    const { hash, isToken68 } = await load()
    fc.assert(
      fc.property(token, fc.oneof(token, fc.string()), (text, other) => {
        const first = hash(text)
        hash(other)
        expect(hash(text)).toBe(first)
        isToken68(other)
        expect(hash(text)).toBe(first)
        isToken68(text)
        expect(hash(text)).toBe(first)
        isToken68(text)
        isToken68(other)
        expect(hash(text)).toBe(first)
        isToken68(text)
        hash(other)
        expect(hash(text)).toBe(first)
      }),
    )
  })

  it('is not that of a token of the same length that was checked before', async () => {
    const { hash, isToken68 } = await load()
    const [one, other] = ['a'.repeat(64), 'b'.repeat(64)]
    isToken68(one)
    const hashOfOther = hash(other)
    expect(hashOfOther).not.toBe(hash(one))
    expect(hashOfOther).toBe(hash(other))
  })

  it('differs for different tokens', async () => {
    const { hash } = await load()
    fc.assert(
      fc.property(token, token, (one, other) => {
        expect(hash(one) === hash(other)).toBe(one === other)
      }),
    )
  })

  it('counts each character and the length', async () => {
    const { hash } = await load()
    const texts = [
      ...['A', 'AA', 'AAA', 'AAAA', 'AAAAA', 'AAAAAA', 'A=', 'A==', 'A===', 'A====', 'AA='],
      ...['a', 'aA', 'aAA', 'aAAA', 'Aa', 'aa', 'ab', 'ba', 'aabb', 'bbaa', 'abab'],
    ]
    const hashes = texts.map(hash)
    expect(hashes).not.toContain(null)
    expect(new Set(hashes).size).toBe(texts.length)
  })

  it('is exact for the longest token with the greatest random numbers', async () => {
    useRandomNumbers(() => 2 ** 25 - 1)
    const { hash } = await load()
    const sums = hash('~'.repeat(MAX_LENGTH))!.split(',').map(Number)
    const exact = BigInt(2 ** 25 - 1) * (BigInt(MAX_LENGTH / 2) * 0x7e7en + BigInt(MAX_LENGTH))
    expect(sums.map(BigInt)).toEqual([exact, exact, exact])
    expect(Math.max(...sums)).toBeLessThan(2 ** 53)
  })

  it('has a random number for each position of the longest token', async () => {
    const { hash } = await load()
    const longest = 'a'.repeat(MAX_LENGTH)
    const changed = [0, 1, 2, 3, MAX_LENGTH - 2, MAX_LENGTH - 1].map(
      (index) => `${longest.slice(0, index)}b${longest.slice(index + 1)}`,
    )
    expect(new Set([longest, ...changed].map(hash)).size).toBe(7)
  })

  it('does not exist for text that is too long or not a token68', async () => {
    const { hash } = await load()
    expect(hash('a'.repeat(MAX_LENGTH))).not.toBeNull()
    for (const text of [
      ...['', '=', 'a=a', 'a,b', 'a b', 'a\0', '\0', 'é', '€', '\u{1f33f}', '\ud800', 'a\udc00'],
      ...['\x80', 'a'.repeat(MAX_LENGTH + 1), '€'.repeat(MAX_LENGTH), `${'a'.repeat(5000)}é`],
    ]) {
      expect(hash(text)).toBeNull()
    }
  })
})

describe('a map of tokens', () => {
  it.each([0, 1, 2])('distinguishes tokens that differ in sum %i only', async (sum) => {
    // The tokens differ in their first pair of characters, so each sum has one random number for it.
    useRandomNumbers((index) => (index === sum ? 7 : 0))
    const { hash, createMap } = await load()
    const [sums, otherSums] = [hash('aa')!.split(','), hash('ab')!.split(',')]
    expect(sums.map((one, index) => one !== otherSums[index])).toEqual(
      [0, 1, 2].map((index) => index === sum),
    )
    const map = createMap<string>(10)
    map.set('aa', 'first')
    map.set('ab', 'second')
    expect([map.get('aa'), map.get('ab'), map.get('ac')]).toEqual(['first', 'second', undefined])
    map.set('aa', 'third')
    expect([map.get('aa'), map.get('ab')]).toEqual(['third', 'second'])
  })

  it('keeps the newest entries, as many as it may', async () => {
    const { createMap } = await load()
    const tokens = [...'abcdefgh']
    const token = fc.constantFrom(...tokens)
    const set = fc.record({ token, value: fc.nat() })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.option(set)), (maxEntries, steps) => {
        const map = createMap<number>(maxEntries)
        const model = new Map<string, number>()
        for (const step of steps) {
          if (step === null) {
            map.clear()
            model.clear()
            continue
          }
          map.set(step.token, step.value)
          model.set(step.token, step.value)
          if (model.size > maxEntries) model.delete([...model.keys()][0]!)
          expect(tokens.map(map.get)).toEqual(tokens.map((token) => model.get(token)))
        }
      }),
    )
  })

  it('keeps no bytes of a token in memory', async () => {
    const encodeInto = vi.spyOn(TextEncoder.prototype, 'encodeInto')
    const { hash } = await load()
    for (const text of ['odd', 's3cret-token-é', 's3cret-token', '€'.repeat(MAX_LENGTH)]) hash(text)
    const buffers = new Set(encodeInto.mock.calls.map(([, bytes]) => bytes))
    for (const bytes of buffers) expect(bytes.every((byte) => byte === 0)).toBe(true)
    expect(buffers.size).toBe(1)
  })
})
