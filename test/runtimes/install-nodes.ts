// Installs the other versions of Node that the tests run on: npm run nodes
//
// npm start doesn't need them, so npm ci leaves them out. They go where a devDependency would be:
// node_modules/node22.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import nodes from './nodes/package.json' with { type: 'json' }
import { ROOT } from './program.ts'

const modules = join(ROOT, 'node_modules')
// Optional, since not every version is there for every machine.
const versions = Object.entries(nodes.optionalDependencies)

function isInstalled([name, specifier]: [string, string]): boolean {
  const manifest = join(modules, name, 'package.json')
  if (!existsSync(manifest)) return false
  return specifier.endsWith(`@${JSON.parse(readFileSync(manifest, 'utf8')).version}`)
}

if (!versions.every(isInstalled)) {
  const project = join(modules, '.nodes')
  cpSync(join(import.meta.dirname, 'nodes'), project, { recursive: true })
  const options = { cwd: project, stdio: 'inherit', shell: process.platform === 'win32' } as const
  execFileSync('npm', ['ci', '--no-fund', '--no-audit'], options)
  for (const [name] of versions) {
    const installed = join(project, 'node_modules', name)
    rmSync(join(modules, name), { recursive: true, force: true })
    if (existsSync(installed)) symlinkSync(installed, join(modules, name), 'junction')
  }
}
