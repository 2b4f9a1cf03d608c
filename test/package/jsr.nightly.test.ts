import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import jsr from '../../jsr.json' with { type: 'json' }
import manifest from '../../package.json' with { type: 'json' }
import { run } from '../runtimes/program.ts'
import { DENO } from './packed-project.ts'

describe('The package on JSR', () => {
  it('has the version, the license and the modules of the package on npm', () => {
    const modules = Object.entries(manifest.exports).flatMap(([name, target]) =>
      typeof target === 'string' ? [] : [[name, target.default]],
    )
    const sources = modules.map(([name, file]) => [
      name,
      file!.replace('./dist/', './').replace(/js$/, 'ts'),
    ])
    expect(jsr.exports).toEqual(Object.fromEntries(sources))
    expect(jsr).toMatchObject({ version: manifest.version, license: manifest.license })
  })

  // A slow type is one that JSR can't read without inference: it would cost users type checking time.
  it('could be published, without slow types and without warnings', async () => {
    const publish = ['publish', '--dry-run', '--allow-dirty']
    const { stdout, stderr } = await run(DENO, publish)
    const output = stripVTControlCharacters(stdout + stderr)
    expect(output).toContain('Success')
    expect(output).not.toMatch(/^ *(?:warning|error)/im)
  })

  it('imports other packages by a range, so that its users get their patches', () => {
    const { 'itty-router': itty, zod } = manifest.dependencies
    expect(jsr.imports).toMatchObject({
      'itty-router': `npm:itty-router@${itty}`,
      'zod/mini': `npm:zod@${zod}/mini`,
    })
    const ranges = { ...manifest.dependencies, ...jsr.imports }
    for (const range of Object.values(ranges)) expect(range).toMatch(/(?:^|@)\^\d/)
  })
})
