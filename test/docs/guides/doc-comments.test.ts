import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { createDeclarations } from './declarations.ts'
import { ROOT } from './guides.ts'

const { exportsOf, commentOf, isType } = createDeclarations()
const entries = Object.values(manifest.exports).flatMap((target) =>
  typeof target === 'string' ? [] : [...exportsOf(join(ROOT, target.types)).values()],
)

describe('The doc comments', () => {
  it('describe every export', () => {
    expect(entries.length).toBeGreaterThan(80)
    expect(entries.filter((entry) => commentOf(entry).length < 20)).toEqual([])
  })

  it('show an example of every function, class and constant', () => {
    const values = entries.filter((entry) => !isType(entry))
    const withoutExample = values.filter((entry) => !commentOf(entry).includes('```'))
    expect(withoutExample.map(({ name }) => name)).toEqual([])
  })
})
