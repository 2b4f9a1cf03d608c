import { expect, it } from 'vitest'
import { readGuide } from './guides.ts'
import { llmsText } from './llms.ts'

it('llms.txt is what `npm run llms` writes', () => {
  expect(readGuide('llms.txt')).toBe(llmsText())
})
