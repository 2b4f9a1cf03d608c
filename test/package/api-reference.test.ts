import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  API_REFERENCE_FILE,
  apiReference,
  entriesOf,
  isType,
  userWithExample,
} from './api-reference.ts'
import { readPublicApi } from './public-api.ts'

const api = readPublicApi()
const entries = entriesOf(api)

describe('The API reference', () => {
  it('is as the code is: npm run api writes it', () => {
    expect(apiReference(api)).toBe(readFileSync(API_REFERENCE_FILE, 'utf8'))
  })

  it('describes every export', () => {
    const isDescribed = entries.filter(({ doc }) => doc.description.length > 10)
    expect(entries.filter((entry) => !isDescribed.includes(entry)).map(nameOf)).toEqual([])
    expect(entries.length).toBeGreaterThan(80)
  })

  it('has an example for every function, class and constant', () => {
    const values = entries.filter((entry) => !isType(entry))
    expect(values.filter(({ doc }) => doc.examples.length === 0).map(nameOf)).toEqual([])
  })

  it('has an example for every type, or leads to one that uses it', () => {
    const types = entries.filter((entry) => isType(entry) && entry.doc.examples.length === 0)
    expect(types.filter((type) => !userWithExample(type, entries)).map(nameOf)).toEqual([])
  })
})

function nameOf({ module, name }: { module: string; name: string }): string {
  return `${name} of ${module}`
}
