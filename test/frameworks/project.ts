import { existsSync, rmSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { filesOf, ROOT } from '../docs/guides/guides.ts'
import { runCommand } from '../shared/command.ts'
import type { App } from './apps.ts'

/** A directory outside of the repository, where npm and bundlers find nothing of the repository. */
type Workshop = Awaited<ReturnType<typeof createWorkshop>>

/** Packs the package and prepares the environment that all apps share. It is removed when the runner ends. */
export async function createWorkshop() {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-frameworks-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  // The runtimes, and nothing else: an app must not find a tool that it has not installed.
  const bin = join(directory, 'bin')
  await mkdir(bin)
  await symlink(process.execPath, join(bin, 'node'))
  for (const runtime of ['bun', 'deno']) {
    await symlink(join(ROOT, 'test/node_modules/.bin', runtime), join(bin, runtime))
  }
  const { NODE_ENV: _, ...inherited } = process.env
  // What `npm run` has put in front is inside.
  const isOutside = (path: string) => !path.startsWith(join(ROOT, '/'))
  const env: NodeJS.ProcessEnv = {
    ...inherited,
    PATH: [bin, ...process.env.PATH!.split(delimiter).filter(isOutside)].join(delimiter),
    CI: '1',
    NO_COLOR: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    ASTRO_TELEMETRY_DISABLED: '1',
    NUXT_TELEMETRY_DISABLED: '1',
    WRANGLER_SEND_METRICS: 'false',
  }
  // Builds the package first: `prepack`.
  await runCommand(['npm', 'pack', '--pack-destination', directory], { cwd: ROOT })
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  return { directory, tarball: join(directory, `plant-store-${version}.tgz`), env }
}

/** An app in its folder, with its dependencies. */
export type Project = Awaited<ReturnType<typeof installApp>>

/** Copies an app to the workshop and installs it as its users do, with the newest versions if `isNewest`. */
export async function installApp(
  app: App,
  { directory, tarball, env }: Workshop,
  isNewest: boolean,
) {
  const project = join(directory, app.name)
  const { folder = app.name, guide = `docs/hosts/${folder}.md`, fromGuide } = app
  await cp(join(import.meta.dirname, 'apps', folder), project, { recursive: true })
  for (const [file, code] of existsSync(join(ROOT, guide)) ? filesOf(guide) : []) {
    const path = join(project, file)
    if (existsSync(path) && file !== fromGuide) continue
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, onSqlite(onFreePort(app.ending ? endAs(code, app.ending) : code)))
  }
  // The manifests of the apps say file:plant-store.tgz.
  await cp(tarball, join(project, 'plant-store.tgz'))
  const manifest = await readJson(join(project, 'package.json'))
  Object.assign(manifest.dependencies, app.versions)
  for (const packages of isNewest ? [manifest.dependencies, manifest.devDependencies] : []) {
    for (const name in packages) {
      // A pre-release may be newer than the latest release.
      if (/^[\d.]+$/.test(packages[name])) packages[name] = 'latest'
    }
  }
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest, null, 2))
  await runCommand(['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: project,
    env,
  })
  if (manifest.scripts.start) await serveTestedStore(project)
  const installed = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  const versions = await Promise.all(installed.map((name) => versionOf(name, project)))
  const scripts: Record<string, string> = manifest.scripts
  return { directory: project, scripts, versions: versions.join(', ') }
}

/** Lets the app serve the store of the adapter tests beside its own. */
async function serveTestedStore(project: string): Promise<void> {
  const entries = join(project, 'node_modules/plant-store/dist/src')
  await rename(join(entries, 'index.js'), join(entries, 'own.js'))
  await cp(join(import.meta.dirname, 'tested-store.js'), join(entries, 'index.js'))
}

function endAs(code: string, [begin, ending]: readonly [string, string]): string {
  const index = code.indexOf(begin)
  return index < 0 ? code : `${code.slice(0, index)}${ending}\n`
}

/** The code of a guide with a free port. */
function onFreePort(code: string): string {
  return code.replace(/(?<=port: |listen\()3000/, 'Number(process.env.PORT)')
}

/** The code of a guide with a file in place of the PostgreSQL that it names, and with the token of the apps. */
function onSqlite(code: string): string {
  return code
    .replace(/^import .+ from '(?:pg|@neondatabase\/serverless)'\n/m, '')
    .replace(/postgresStorage\(.+\)/, "sqliteStorage('app.db')")
    .replaceAll(/postgres(?=Storage|')/g, 'sqlite')
    .replace(/String\(process\.env\.TOKEN\)|process\.env\.TOKEN!/, "'s3cret'")
}

async function versionOf(name: string, project: string): Promise<string> {
  const { version } = await readJson(join(project, 'node_modules', name, 'package.json'))
  return `${name} ${version}`
}

async function readJson(path: string) {
  return JSON.parse(await readFile(path, 'utf8'))
}
