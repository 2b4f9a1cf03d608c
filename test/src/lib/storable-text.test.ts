import { expect, it } from 'vitest'
import { storableText } from '../../../src/lib/storable-text.ts'

it('Text that every storage can keep has no U+0000 and no lone surrogate', () => {
  for (const text of ['', 'a', '\x01', '\uffff', '🌱', 'a🌱\ufffd'])
    expect(text).toMatch(storableText)
  for (const text of ['\0', 'a\0', '\ud83c', 'a\udf31b', '\udf31\ud83c'])
    expect(text).not.toMatch(storableText)
})
