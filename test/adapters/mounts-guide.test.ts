import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { codeBlocks } from '../docs/guides/guides.ts'

it('The guide shows the lines that the app msw mounts the store with', () => {
  const file = join(import.meta.dirname, '../frameworks/apps/msw/plants.spec.ts')
  const app = readFileSync(file, 'utf8')
  const { code } = codeBlocks('docs/tasks/test.md').find(({ code }) => code.includes("'msw'"))!
  for (const line of code.split('\n')) expect(app).toContain(line)
})
