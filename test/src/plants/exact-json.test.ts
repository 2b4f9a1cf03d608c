import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { INT64_MAX, INT64_MIN } from '../../../src/lib/int64.ts'
import { parseWithExactId } from '../../../src/plants/exact-json.ts'

const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX })

describe('parseWithExactId', () => {
  it('reads an integer in every notation of JSON', () => {
    // 00 is no JSON number.
    const id = int64.filter((value) => value !== 0n)
    const shifted = fc.record({ id, by: fc.integer({ min: 0, max: 40 }) })
    fc.assert(
      fc.property(shifted, fc.constantFrom('e', 'E'), ({ id, by }, e) => {
        expect(parseWithExactId(`{"id":${id}.${'0'.repeat(by)}0}`)).toEqual({ id })
        expect(parseWithExactId(`{"id":${id}${'0'.repeat(by)}${e}-${by}}`)).toEqual({ id })
        expect(parseWithExactId(`{"id":${pointBefore(id, by)}${e}+${by}}`)).toEqual({ id })
      }),
    )
  })

  it('reads an integer of 19 digits exactly, and leaves a longer one', () => {
    for (const sign of ['', '-']) {
      const longest = `${sign}9999999999999999999`
      expect(parseWithExactId(`{"id":${longest}}`)).toEqual({ id: BigInt(longest) })
      expect(parseWithExactId(`{"id":${longest}.0}`)).toEqual({ id: BigInt(longest) })
      expect(parseWithExactId(`{"id":${sign}1${'0'.repeat(19)}}`)).toEqual({ id: +`${sign}1e19` })
    }
  })

  it('leaves a number that is not an integer as it is', () => {
    const fraction = fc.stringMatching(/^\d{0,30}[1-9]$/)
    fc.assert(
      fc.property(int64, fraction, (whole, decimals) => {
        const { id } = parseWithExactId(`{"id":${whole}.${decimals}}`) as { id: unknown }
        expect(typeof id).toBe('number')
      }),
    )
  })

  it('agrees with JSON.parse on everything but the id', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const { id: _, ...rest } = { ...JSON.parse(json) }
        const { id: __, ...parsed } = { ...(parseWithExactId(json) as object) } as { id?: unknown }
        expect(parsed).toEqual(rest)
      }),
    )
  })

  it('ignores an id that is nested or not a number', () => {
    expect(parseWithExactId('[{"id":1}]')).toEqual([{ id: 1 }])
    expect(parseWithExactId('{"id":"1"}')).toEqual({ id: '1' })
    expect(parseWithExactId('{"x":{"id":1},"id":2}')).toEqual({ x: { id: 1 }, id: 2n })
  })

  it('uses the last of several ids, in any notation', () => {
    expect(parseWithExactId('{"id":1.5,"i\\u0064":2.0,"name":"id"}')).toMatchObject({ id: 2n })
    expect(parseWithExactId('{"id":2.0,"id":"x"}')).toMatchObject({ id: 'x' })
    expect(parseWithExactId('{"a":"\\"id\\":9.0","id" :\n7e0}')).toMatchObject({ id: 7n })
  })

  it('does not use the number of another member or of a nested id', () => {
    expect(parseWithExactId('{"id":2.0,"x":{"id":9.0}}')).toMatchObject({ id: 2n })
    expect(parseWithExactId('{"id":2.0,"x":[{"id":9.0}]}')).toMatchObject({ id: 2n })
    expect(parseWithExactId('{"id":2.0,"\\n":9.0}')).toMatchObject({ id: 2n })
    expect(parseWithExactId('{"id":2.0,"i\\u0064s":9.0}')).toMatchObject({ id: 2n })
  })

  it('finds the id among any other members', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.json(),
        fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }),
        fc.constantFrom('1.5', '"\\\\"', '"id"'),
        (a, b, id, c) => {
          const text = `{"a":${a},"id":${id}.0,"b":${b},"c":[${c}]}`
          expect(parseWithExactId(text)).toMatchObject({ id })
        },
      ),
    )
  })

  it('does the same for every notation in a body nested 100 000 deep', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    for (const id of ['7', '7.0', '70e-1']) {
      expect((parseWithExactId(`{"x":${deep},"id":${id}}`) as { id: bigint }).id).toBe(7n)
    }
  })

  it('throws a SyntaxError where JSON.parse does', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (isJson(text)) return
        expect(() => parseWithExactId(text)).toThrow(SyntaxError)
      }),
    )
  })
})

/** Writes an integer with the decimal point moved to the left. */
function pointBefore(id: bigint, by: number): string {
  const sign = id < 0n ? '-' : ''
  const digits = String(id)
    .replace('-', '')
    .padStart(by + 1, '0')
  return by === 0 ? `${id}` : `${sign}${digits.slice(0, -by)}.${digits.slice(-by)}`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
