import { execFile } from 'node:child_process'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
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

/** A project of a user's, with the package as `npm pack` makes it. */
export type PackedProject = Awaited<ReturnType<typeof createPackedProject>>

/** Packs `dist` as it is, and installs it in an empty directory, with its dependencies. */
export async function createPackedProject() {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'plant-store-package-')))
  const [{ filename, files }] = await pack(directory, ROOT)
  const tarball = join(directory, filename)
  await writeFile(join(directory, 'package.json'), '{ "type": "module", "private": true }')

  async function npmInstall(...sources: string[]): Promise<void> {
    const install = ['install', '--install-links', '--offline', '--ignore-scripts']
    await run('npm', [...install, ...sources], { ...NPM_OPTIONS, cwd: directory })
  }
  function fromCheckout(packages: string[]): string[] {
    return packages.map((name) => join(ROOT, 'node_modules', name))
  }
  await npmInstall(tarball, ...fromCheckout(['zod', 'itty-router']))
  return {
    directory,
    tarball,
    /** The paths in the tarball. */
    files: files.map(({ path }) => path),
    /** Installs further packages, which come from this checkout, so that tests need no network. */
    install: (...packages: string[]) => npmInstall(...fromCheckout(packages)),
    remove: () => rm(directory, { recursive: true, force: true, maxRetries: 20 }),
  }
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
