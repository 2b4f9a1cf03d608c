import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../runtimes/program.ts'
import { folderOfTest } from '../shared/temporary-folder.ts'
import { pack, runInstalled } from './packed-project.ts'

const SOURCES = ['adapters', 'src', 'LICENSE', 'README.md', 'package.json']
const SETTINGS = ['tsconfig.json', 'tsconfig.build.json', 'tsup.config.ts']

/** Builds and packs the sources in a folder, and returns the tarball. */
async function buildIn(checkout: string): Promise<Buffer> {
  for (const path of [...SOURCES, ...SETTINGS]) {
    cpSync(join(ROOT, path), join(checkout, path), { recursive: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'), 'junction')
  await runInstalled('tsup/dist/cli-default.js', ['--silent'], checkout)
  await runInstalled('typescript/bin/tsc', ['-p', 'tsconfig.build.json'], checkout)
  const [{ filename }] = await pack(checkout, checkout)
  return readFileSync(join(checkout, filename))
}

describe('The tarball', () => {
  it('is the same to the byte wherever and whenever it is built', async () => {
    const first = await buildIn(folderOfTest())
    const second = await buildIn(join(folderOfTest(), 'a-longer-path'))
    expect(second.equals(first)).toBe(true)
  })
})
