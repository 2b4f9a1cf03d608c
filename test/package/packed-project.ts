import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll } from 'vitest'
import { installed, installedForTests, ROOT, run } from '../runtimes/program.ts'
import { folderOfTests } from '../shared/temporary-folder.ts'

const WINDOWS = process.platform === 'win32'

export const BUN = installedForTests('bun/bin/bun.exe')
export const DENO = installedForTests(WINDOWS ? 'deno/deno.exe' : 'deno/deno')

/** Runs a script that npm has installed, such as `typescript/bin/tsc`. */
export function runInstalled(script: string, args: string[], cwd = ROOT) {
  return run(process.execPath, [installed(script), ...args], { cwd })
}

/**
 * Packs `dist` as it is, and unpacks it in an empty project for the tests of a file, with copies of its dependencies and of
 * these packages. npm would take four seconds for the same, and `npm run test:frameworks` installs the tarball.
 */
export function usePackedProject(...packages: string[]) {
  const directory = folderOfTests()
  const project = {
    directory,
    tarball: '',
    /** The paths in the tarball. */
    files: [] as string[],
  }
  // npm takes its time on two busy cores.
  beforeAll(async () => {
    const options = ['--ignore-scripts', '--json', '--pack-destination', directory]
    const { stdout } = await run('npm', ['pack', ...options], { shell: WINDOWS })
    const [{ filename, files }] = Object.values<any>(JSON.parse(stdout))
    project.tarball = join(directory, filename)
    project.files = files.map(({ path }: { path: string }) => path)
    const manifest = { private: true, type: 'module', dependencies: { 'plant-store': '*' } }
    writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest))
    const modules = join(directory, 'node_modules')
    const target = join(modules, 'plant-store')
    mkdirSync(target, { recursive: true })
    await run('tar', ['-xzf', project.tarball, '--strip-components=1', '-C', target])
    for (const name of ['zod', 'itty-router', ...packages]) {
      cpSync(installed(name), join(modules, name), { recursive: true })
    }
  }, 300_000)
  return project
}
