import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { ROOT, readGuide } from './guides.ts'
import { llmsText } from './llms.ts'

describe('README', () => {
  it('names the oldest Node that the package runs on', () => {
    const oldest = manifest.engines.node.replace('>=', '')
    expect(readGuide('README.md')).toContain(`Node ${oldest} or newer`)
  })

  it('has at most 140 lines', () => {
    expect(readGuide('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(140)
  })
})

describe('How it works', () => {
  const page = readGuide('docs/how-it-works.md')
  const names = [...page.matchAll(/`([^`\n]+)`/g)].map(([, name]) => name!)

  it('names files that exist', () => {
    const files = names.filter((name) => /^(?:src|adapters|test)\//.test(name))
    expect(files.length).toBeGreaterThan(15)
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
  })

  it('names functions that exist', () => {
    const code = globSync('{src,adapters}/**/*.ts', { cwd: ROOT }).map(readGuide).join('\n')
    const functions = names.filter((name) => name.endsWith('()')).map((name) => name.slice(0, -2))
    expect(functions.length).toBeGreaterThan(12)
    expect(functions.filter((name) => !new RegExp(`function ${name}[(<]`).test(code))).toEqual([])
  })
})

describe('llms.txt', () => {
  it('is what `npm run llms` writes', () => {
    expect(readGuide('llms.txt')).toBe(llmsText())
  })
})
