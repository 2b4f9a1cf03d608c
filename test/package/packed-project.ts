import { execFile } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll } from 'vitest'
import { installed, installedForTests, ROOT } from '../runtimes/program.ts'

const WINDOWS = process.platform === 'win32'
const NPM_OPTIONS = { shell: WINDOWS }

export const run = promisify(execFile)
export const BUN = installedForTests('bun/bin/bun.exe')
export const DENO = installedForTests(WINDOWS ? 'deno/deno.exe' : 'deno/deno')

/** Runs a script that npm has installed, such as `typescript/bin/tsc`. */
export function runInstalled(script: string, args: string[], cwd = ROOT) {
  return run(process.execPath, [installed(script), ...args], { cwd })
}

/**
 * Packs `dist` as it is, and installs it in an empty directory for the tests of a file, with its dependencies and these
 * packages. They come from this checkout, so that tests need no network.
 */
export function usePackedProject(...packages: string[]) {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'plant-store-package-')))
  const project = {
    directory,
    tarball: '',
    /** The paths in the tarball. */
    files: [] as string[],
  }
  // npm takes its time on two busy cores.
  beforeAll(async () => {
    const [{ filename, files }] = await pack(directory, ROOT)
    project.tarball = join(directory, filename)
    project.files = files.map(({ path }) => path)
    writeFileSync(join(directory, 'package.json'), '{ "type": "module", "private": true }')
    const dependencies = ['zod', 'itty-router', ...packages].map(installed)
    const options = ['--install-links', '--offline', '--ignore-scripts']
    const install = ['install', ...options, project.tarball, ...dependencies]
    await run('npm', install, { ...NPM_OPTIONS, cwd: directory })
  }, 300_000)
  afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 20 }))
  return project
}

interface Tarball {
  name: string
  filename: string
  files: { path: string }[]
}

/** Makes the tarballs of packages, from their files as they are. */
export async function pack<Folders extends string[]>(destination: string, ...folders: Folders) {
  const options = ['--ignore-scripts', '--json', '--pack-destination', destination]
  const { stdout } = await run('npm', ['pack', ...folders, ...options], NPM_OPTIONS)
  return Object.values(JSON.parse(stdout)) as { [Index in keyof Folders]: Tarball }
}
