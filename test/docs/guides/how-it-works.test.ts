import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT, readGuide } from './guides.ts'

const page = readGuide('docs/how-it-works.md')
const names = [...page.matchAll(/`([^`\n]+)`/g)].map(([, name]) => name!)

describe('How it works', () => {
  it('names files that exist', () => {
    const files = names.filter((name) => /^(?:src|adapters|test)\//.test(name))
    expect(files.length).toBeGreaterThan(15)
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
  })

  it('names functions that exist', () => {
    const sources = globSync('{src,adapters}/**/*.ts', { cwd: ROOT })
    const code = sources.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n')
    const functions = names.filter((name) => name.endsWith('()')).map((name) => name.slice(0, -2))
    expect(functions.length).toBeGreaterThan(12)
    expect(functions.filter((name) => !new RegExp(`function ${name}[(<]`).test(code))).toEqual([])
  })
})
