import { describe, expect, it } from 'vitest'
import { readGuide } from './guides.ts'
import { llmsText } from './llms.ts'

describe('llms.txt', () => {
  it('is what `npm run llms` writes', () => {
    expect(readGuide('llms.txt')).toBe(llmsText())
  })
})
