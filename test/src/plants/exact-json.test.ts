import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { INT64_MAX, INT64_MIN } from '../../../src/lib/int64.ts'
import { parseWithExactId } from '../../../src/plants/new-plant.ts'

// The rules `create` and `invalid-plant` of the adapter kit have single ids, also those that are no int64.
describe('parseWithExactId', () => {
  it('reads an integer in every notation of JSON, among any other members', () => {
    // 00 is no JSON number.
    const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX }).filter((id) => id !== 0n)
    const other = fc.oneof(fc.json(), fc.constantFrom('1.5', '"\\\\"', '"id"'))
    fc.assert(
      fc.property(int64, fc.nat(40), fc.constantFrom('e', 'E'), other, (id, by, e, other) => {
        const zeros = '0'.repeat(by)
        const shifted = `${pointBefore(id, by)}${e}+${by}`
        for (const literal of [`${id}.${zeros}0`, `${id}${zeros}${e}-${by}`, shifted]) {
          const text = `{"a":${other},"id":${literal},"b":[${other}]}`
          const value = JSON.parse(other)
          expect(parseWithExactId(text)).toEqual({ a: value, id, b: [value] })
        }
      }),
    )
  })

  it('uses the last of several ids, in any notation', () => {
    expect(parseWithExactId('{"id":1.5,"i\\u0064":2.0,"name":"id"}')).toMatchObject({ id: 2n })
    expect(parseWithExactId('{"id":1.5,"i\\u0064":2.0}')).toMatchObject({ id: 2n })
    expect(parseWithExactId('{"id":2.0,"id":"x"}')).toMatchObject({ id: 'x' })
    expect(parseWithExactId('{"a":"\\"id\\":9.0","id" :\n7e0}')).toMatchObject({ id: 7n })
  })

  it('does not use the number of another member or of a nested id', () => {
    expect(parseWithExactId('{"id":2.0,"x":{"id":9.0}}')).toMatchObject({ id: 2n })
    expect(parseWithExactId('{"id":2.0,"x":[{"id":9.0}]}')).toMatchObject({ id: 2n })
    expect(parseWithExactId('{"id":2.0,"\\n":9.0}')).toMatchObject({ id: 2n })
    expect(parseWithExactId('{"id":2.0,"i\\u0064s":9.0}')).toMatchObject({ id: 2n })
  })

  it('does the same for every notation in a body nested 100 000 deep', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    for (const id of ['7', '7.0', '70e-1']) {
      expect((parseWithExactId(`{"x":${deep},"id":${id}}`) as { id: bigint }).id).toBe(7n)
    }
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
