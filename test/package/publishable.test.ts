import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const OWNED = { repository: 'r', homepage: 'h', bugs: 'b', author: 'a' }
const JSR = { name: '@garden/plant-store', version: '1.0.0' }

interface Change {
  fields?: object
  env?: Record<string, string>
  jsr?: object
  owner?: string
}

function check({ fields, env, jsr, owner = '@garden' }: Change = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-publishable-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const manifest = { version: '1.0.0', ...OWNED, ...fields }
  writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(directory, 'jsr.json'), JSON.stringify({ ...JSR, ...jsr }))
  writeFileSync(join(directory, 'CHANGELOG.md'), '# Changelog\n\n## 1.0.0\n\nThe first.\n')
  mkdirSync(join(directory, '.github'))
  writeFileSync(join(directory, '.github/CODEOWNERS'), `* ${owner}\n`)
  const script = join(import.meta.dirname, 'publishable.ts')
  const { GITHUB_REF_TYPE, GITHUB_REF_NAME, ...rest } = process.env
  const options = { cwd: directory, env: { ...rest, ...env }, encoding: 'utf8' } as const
  const { status, stderr } = spawnSync(process.execPath, [script], options)
  return { status, problems: stderr.trim() }
}

const tag = (name: string) => ({ GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: name })

describe('Before npm publishes the package', () => {
  it('the check runs', () => {
    expect(manifest.scripts.prepublishOnly).toBe('node test/package/publishable.ts')
  })

  it.each<[what: string, change: Change, problem: string]>([
    ...Object.keys(OWNED).map((field): [string, Change, string] => [
      `a manifest without ${field}`,
      { fields: { [field]: undefined } },
      `package.json has no ${field}: set it to where the project is hosted`,
    ]),
    [
      'a version that CHANGELOG.md does not have',
      { fields: { version: '1.0.1' }, jsr: { version: '1.0.1' } },
      'CHANGELOG.md has no section 1.0.1: write what has changed',
    ],
    [
      'a placeholder for the scope on JSR',
      { jsr: { name: '@your-scope/plant-store' } },
      'jsr.json has the name @your-scope/plant-store: replace @your-scope with your scope on JSR',
    ],
    [
      'a placeholder for the owner of the code',
      { owner: '@your-scope' },
      '.github/CODEOWNERS has @your-scope: replace it with your account or team',
    ],
    [
      'another version on JSR than on npm',
      { jsr: { version: '0.9.0' } },
      'jsr.json has the version 0.9.0, and package.json has 1.0.0',
    ],
    [
      'a tag of another version',
      { env: tag('v1.0.1') },
      'the tag must be v1.0.0, the version in package.json; got v1.0.1',
    ],
  ])('%s is refused', (_, change, problem) => {
    expect(check(change)).toEqual({ status: 1, problems: `Not published: ${problem}` })
  })

  it('a manifest with all of them passes', () => {
    for (const env of [{}, tag('v1.0.0')]) {
      expect(check({ env })).toEqual({ status: 0, problems: '' })
    }
  })
})
