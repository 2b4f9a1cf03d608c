import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { folderOfTest } from '../shared/temporary-folder.ts'

/** Runs the check on a project, by the tag of a release or without one. */
function check(manifest: object, jsr: object, owner: string, tag?: string) {
  const directory = folderOfTest()
  writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(directory, 'jsr.json'), JSON.stringify(jsr))
  writeFileSync(join(directory, 'CHANGELOG.md'), '# Changelog\n\n## 1.0.0\n\nThe first.\n')
  mkdirSync(join(directory, '.github'))
  writeFileSync(join(directory, '.github/CODEOWNERS'), `* ${owner}\n`)
  const script = join(import.meta.dirname, 'publishable.ts')
  const { GITHUB_REF_TYPE, GITHUB_REF_NAME, ...rest } = process.env
  const env = { ...rest, ...(tag && { GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: tag }) }
  const options = { cwd: directory, env, encoding: 'utf8' } as const
  const { status, stderr } = spawnSync(process.execPath, [script], options)
  return { status, problems: stderr.split('\n').filter(Boolean) }
}

describe('Before npm publishes the package', () => {
  it('each thing that is missing or wrong is named', () => {
    expect(manifest.scripts.prepublishOnly).toBe('node test/package/publishable.ts')
    const jsr = { name: '@your-scope/plant-store', version: '0.9.0' }
    expect(check({ version: '1.0.1' }, jsr, '@your-scope', 'v1.0.0')).toEqual({
      status: 1,
      problems: [
        'Not published: package.json has no repository: set it to where the project is hosted',
        'Not published: package.json has no homepage: set it to where the project is hosted',
        'Not published: package.json has no bugs: set it to where the project is hosted',
        'Not published: package.json has no author: set it to where the project is hosted',
        'Not published: jsr.json has the name @your-scope/plant-store: replace @your-scope with your scope on JSR',
        'Not published: .github/CODEOWNERS has @your-scope: replace it with your account or team',
        'Not published: jsr.json has the version 0.9.0, and package.json has 1.0.1',
        'Not published: CHANGELOG.md has no section 1.0.1: write what has changed',
        'Not published: the tag must be v1.0.1, the version in package.json; got v1.0.0',
      ],
    })
  })

  it('a project with nothing of that passes', () => {
    const owned = { version: '1.0.0', repository: 'r', homepage: 'h', bugs: 'b', author: 'a' }
    const jsr = { name: '@garden/plant-store', version: '1.0.0' }
    for (const tag of [undefined, 'v1.0.0']) {
      expect(check(owned, jsr, '@garden', tag)).toEqual({ status: 0, problems: [] })
    }
  })
})
