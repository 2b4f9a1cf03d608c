import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../runtimes/program.ts'

const DECLARATION =
  /^(?:export )?(?:abstract |async |declare )*(?:type|interface|class|function\*?) +(\w+)|^export const (\w+)/gm
/** One function, for each of three runtimes. */
const SHARED = ['serve']

it('gives each type, each function and each exported value a name of its own', async () => {
  const files = new Map<string, Set<string>>()
  for await (const file of glob('{src,adapters}/**/*.ts', { cwd: ROOT })) {
    const code = await readFile(join(ROOT, file), 'utf8')
    for (const [, declared, constant] of code.matchAll(DECLARATION)) {
      const name = declared ?? constant!
      files.set(name, (files.get(name) ?? new Set()).add(file))
    }
  }
  expect(files.size).toBeGreaterThan(500)
  const shared = [...files].filter(([name, { size }]) => size > 1 && !SHARED.includes(name))
  expect(Object.fromEntries(shared)).toEqual({})
})
