import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isStorableText, storableText } from '../../../src/lib/storable-text.ts'

describe('Text that every storage can keep', () => {
  it('has no U+0000 and no lone surrogate', () => {
    for (const text of ['', 'a', '\x01', '\uffff', '🌱', 'a🌱\ufffd'])
      expect(isStorableText(text)).toBe(true)
    for (const text of ['\0', 'a\0', '\ud83c', 'a\udf31b', '\udf31\ud83c'])
      expect(isStorableText(text)).toBe(false)
    for (const value of [undefined, null, 7, ['a'], new String('a')])
      expect(isStorableText(value)).toBe(false)
  })

  it('is the same by the expression that schemas have', () => {
    const unit = fc.constantFrom('\0', 'a', 'é', '\ud83c', '\udf31', '\uffff')
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        const text = units.join('')
        expect(isStorableText(text)).toBe(storableText.test(text))
      }),
    )
  })
})
