import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import engines from '../package.json' with { type: 'json' }

const workflow = join(import.meta.dirname, '../../.github/workflows/release.yml')
const jobs = Object.entries<any>(parse(readFileSync(workflow, 'utf8')).jobs)

describe('The jobs of the release that can publish', () => {
  const publishing = jobs.filter(([, { permissions }]) => permissions?.['id-token'] === 'write')

  it.each(publishing)('install nothing, and run no script of a package: %s', (name, job) => {
    // npm and JSR trust the workflow in this environment, which a maintainer has to approve.
    expect(job.environment).toBe(name === 'github' ? undefined : 'release')
    for (const { uses = '', run = '', with: options } of job.steps) {
      expect(run).not.toMatch(/npm (?:ci|install|i|run|pack|exec|test)\b|npx/)
      if (run.startsWith('npm publish'))
        expect(run).toMatch(/^npm publish \.\/\S+\.tgz --ignore-scripts /)
      // A cache that a pull request has filled must not reach them.
      if (uses.includes('setup-node')) expect(options['package-manager-cache']).toBe(false)
    }
  })

  it('use the Deno of the tests', () => {
    const { steps } = Object.fromEntries(publishing).jsr
    expect(steps[0].with['deno-version']).toBe(`v${engines.devDependencies.deno}`)
  })

  it('attest the tarball and its SBOM, and attach both to the release', () => {
    const { pack, github } = Object.fromEntries(jobs)
    const written = pack.steps.flatMap(({ run = '' }) => [...run.matchAll(/> "\$packed\/(.+)"/g)])
    expect(written).toHaveLength(1)
    const { with: attested } = github.steps.find(({ uses = '' }) => uses.includes('/attest@'))
    const { run: release } = github.steps.at(-1)
    for (const file of [`plant-store-${manifest.version}.tgz`, written[0][1]]) {
      for (const pattern of [attested['subject-path'], release.split(' ').at(-1)]) {
        expect(posix.matchesGlob(`packed/${file}`, pattern), `${file} by ${pattern}`).toBe(true)
      }
    }
  })

  it('are those of npm, JSR and GitHub', () => {
    expect(publishing.map(([name]) => name)).toEqual(['npm', 'jsr', 'github'])
  })
})
