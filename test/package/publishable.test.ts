import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const OWNED = { repository: 'r', homepage: 'h', bugs: 'b', author: 'a' }
const JSR = { name: '@garden/plant-store', version: '1.0.0' }

function check(fields: object, env: Record<string, string> = {}, jsr = JSR, owner = '@garden') {
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-publishable-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ version: '1.0.0', ...fields }))
  writeFileSync(join(directory, 'jsr.json'), JSON.stringify(jsr))
  writeFileSync(join(directory, 'CHANGELOG.md'), '# Changelog\n\n## 1.0.0\n\nThe first.\n')
  mkdirSync(join(directory, '.github'))
  writeFileSync(join(directory, '.github/CODEOWNERS'), `* ${owner}\n`)
  const script = join(import.meta.dirname, 'publishable.ts')
  const { GITHUB_REF_TYPE, GITHUB_REF_NAME, ...rest } = process.env
  const options = { cwd: directory, env: { ...rest, ...env }, encoding: 'utf8' } as const
  const { status, stderr } = spawnSync(process.execPath, [script], options)
  return { status, problems: stderr.trim() }
}

describe('Before npm publishes the package', () => {
  it('the check runs', () => {
    expect(manifest.scripts.prepublishOnly).toBe('node test/package/publishable.ts')
  })

  it.each(Object.keys(OWNED))('a manifest without %s is refused', (field) => {
    const { status, problems } = check({ ...OWNED, [field]: undefined })
    expect(problems).toBe(
      `Not published: package.json has no ${field}: set it to where the project is hosted`,
    )
    expect(status).toBe(1)
  })

  it('a version that CHANGELOG.md does not have is refused', () => {
    const { status, problems } = check(
      { ...OWNED, version: '1.0.1' },
      {},
      { ...JSR, version: '1.0.1' },
    )
    expect(problems).toBe(
      'Not published: CHANGELOG.md has no section 1.0.1: write what has changed',
    )
    expect(status).toBe(1)
  })

  it('a placeholder for the scope on JSR is refused', () => {
    const { status, problems } = check(OWNED, {}, { ...JSR, name: '@your-scope/plant-store' })
    expect(problems).toBe(
      'Not published: jsr.json has the name @your-scope/plant-store: replace @your-scope with your scope on JSR',
    )
    expect(status).toBe(1)
  })

  it('a placeholder for the owner of the code is refused', () => {
    const { status, problems } = check(OWNED, {}, JSR, '@your-scope')
    expect(problems).toBe(
      'Not published: .github/CODEOWNERS has @your-scope: replace it with your account or team',
    )
    expect(status).toBe(1)
  })

  it('another version on JSR than on npm is refused', () => {
    const { status, problems } = check(OWNED, {}, { ...JSR, version: '0.9.0' })
    expect(problems).toBe(
      'Not published: jsr.json has the version 0.9.0, and package.json has 1.0.0',
    )
    expect(status).toBe(1)
  })

  it('a tag of another version is refused', () => {
    const env = { GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v1.0.1' }
    const problems =
      'Not published: the tag must be v1.0.0, the version in package.json; got v1.0.1'
    expect(check(OWNED, env)).toEqual({ status: 1, problems })
    expect(check(OWNED, { ...env, GITHUB_REF_NAME: 'v1.0.0' }).status).toBe(0)
  })

  it('a manifest with all of them passes', () => {
    expect(check(OWNED)).toEqual({ status: 0, problems: '' })
  })
})
