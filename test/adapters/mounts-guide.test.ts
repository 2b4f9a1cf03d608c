import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeBlocks, GUIDES, readGuide } from '../docs/guides/guides.ts'

const guides = GUIDES.filter((guide) => guide.startsWith('docs/hosts/'))
const text = guides.map(readGuide).join('\n')
const directory = join(import.meta.dirname, 'mounts')
const mounts = readdirSync(directory).filter((file) => !/^store\.ts$|\.d\.ts$/.test(file))

/** The lines of a mount's file without its imports and the creation of the app. */
function linesOf(file: string): string[] {
  const code = readFileSync(join(directory, file), 'utf8')
  const body = code.replace(/^(?:import|\/\/).*$/gm, '').replace(/^export const app = .*$/m, '')
  return body.split('\n').filter((line) => line !== '')
}

describe('The guide', () => {
  it.each(mounts)('shows the lines that %s mounts the store with', (file) => {
    const lines = linesOf(file)
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines)
      expect(text).toContain(line.replace(/^export const server/, 'const server'))
  })

  it('shows the lines that the app msw mounts the store with', () => {
    const app = readFileSync(
      join(import.meta.dirname, '../frameworks/apps/msw/plants.spec.ts'),
      'utf8',
    )
    const { code } = codeBlocks('docs/tasks/test.md').find(({ code }) => code.includes("'msw'"))!
    for (const line of code.split('\n')) expect(app).toContain(line)
  })
})
