import { describe, expect, it } from 'vitest'
import { NewPlant } from '../../src/index.ts'

const INT64 = 'must be an integer from -9223372036854775808 to 9223372036854775807'

describe('NewPlant', () => {
  it.each<[object, string]>([
    [{ id: 2n ** 63n, name: 'a' }, `${INT64}; got 9223372036854775808`],
    [{ id: 7.5, name: 'a' }, `${INT64}; got 7.5`],
    [{ id: '7', name: 'a' }, `${INT64}; got a string`],
    [{ name: 'a' }, 'is required'],
    [{ id: 7n, name: 7 }, 'must be a string; got 7'],
    [{ id: 7n, name: 'a\0' }, 'must not contain U+0000 or a lone surrogate'],
    [{ id: 7n, name: '\udf31\ud83c' }, 'must not contain U+0000 or a lone surrogate'],
    [{ id: 7n, name: '🌱', tag: '\ud800' }, 'must not contain U+0000 or a lone surrogate'],
  ])('says what is wrong: %#', (plant, message) => {
    expect(NewPlant.safeParse(plant).error?.issues.map((issue) => issue.message)).toEqual([message])
  })
})
