import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './guides.ts'

/**
 * Creates a folder like a user's project: the packed package is in its `node_modules`, beside everything that
 * is installed here. `npm run build` must have run.
 */
export function createProject(): string {
  const project = mkdtempSync(join(tmpdir(), 'plant-store-guides-'))
  const installed = join(project, 'node_modules/plant-store')
  mkdirSync(installed, { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name === 'plant-store') continue
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name), 'junction')
  }
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', project], {
    cwd: ROOT,
    stdio: 'ignore',
    shell: process.platform === 'win32',
  })
  const tarball = readdirSync(project).find((name) => name.endsWith('.tgz'))!
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'], { cwd: project })
  const manifest = { private: true, type: 'module', dependencies: { 'plant-store': '*' } }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
  return project
}
