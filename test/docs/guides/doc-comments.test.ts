import { describe, expect, it } from 'vitest'
import { MODULES } from './declarations.ts'

const exported = MODULES.flatMap(({ exports }) => exports)

describe('The doc comments', () => {
  it('describe every export', () => {
    expect(exported.length).toBeGreaterThan(80)
    const undescribed = exported.filter(({ comment }) => comment.length < 20)
    expect(undescribed.map(({ name }) => name)).toEqual([])
  })

  it('show an example of every function, class and constant', () => {
    const values = exported.filter(({ isType }) => !isType)
    const withoutExample = values.filter(({ comment }) => !comment.includes('```'))
    expect(withoutExample.map(({ name }) => name)).toEqual([])
  })
})
