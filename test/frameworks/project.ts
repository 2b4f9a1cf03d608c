import { existsSync, rmSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { filesOf } from '../docs/guides/guides.ts'
import { runCommand } from '../shared/command.ts'
import type { App } from './apps.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** A directory outside of the repository, where npm and bundlers find nothing of the repository. */
export interface Workshop {
  readonly directory: string
  readonly tarball: string
  readonly env: NodeJS.ProcessEnv
}

/** Packs the package and prepares the environment that all apps share. It is removed when the runner ends. */
export async function createWorkshop(): Promise<Workshop> {
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
  const env = {
    ...inherited,
    PATH: [bin, ...outsideOf(ROOT, process.env.PATH!)].join(delimiter),
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

/** The search path without what `npm run` has put in front. */
function outsideOf(root: string, path: string): string[] {
  return path.split(delimiter).filter((entry) => !entry.startsWith(join(root, '/')))
}

/** An app in its folder, with its dependencies. */
export interface Project {
  readonly directory: string
  readonly scripts: Record<string, string>
  versionOf(name: string): Promise<string>
}

/** Copies an app to the workshop and installs it as its users do, with the newest versions if `isNewest`. */
export async function installApp(
  app: App,
  { directory, tarball, env }: Workshop,
  isNewest: boolean,
): Promise<Project> {
  const project = join(directory, app.name)
  const folder = app.folder ?? app.name
  const page = `docs/hosts/${folder}.md`
  for (const [file, code] of existsSync(join(ROOT, page)) ? filesOf(page) : []) {
    const written = app.ending ? endAs(code, app.ending) : code
    await mkdir(dirname(join(project, file)), { recursive: true })
    await writeFile(join(project, file), inMemory(onFreePort(written)))
  }
  // The folder's files replace those of the guide.
  await cp(join(import.meta.dirname, 'apps', folder), project, { recursive: true })
  for (const path of app.guideFiles ?? []) {
    const code = filesOf(`docs/${dirname(path)}.md`).get(basename(path))
    if (code === undefined) throw new Error(`docs/${dirname(path)}.md has no ${basename(path)}`)
    await writeFile(join(project, basename(path)), code)
  }
  // The manifests of the apps say file:plant-store.tgz.
  await cp(tarball, join(project, 'plant-store.tgz'))
  const manifest = await readJson(join(project, 'package.json'))
  for (const [name, version] of Object.entries(app.versions ?? {})) {
    const isForDevelopment = manifest.devDependencies?.[name] !== undefined
    manifest[isForDevelopment ? 'devDependencies' : 'dependencies'][name] = version
  }
  if (isNewest) {
    for (const dependencies of [manifest.dependencies ?? {}, manifest.devDependencies ?? {}]) {
      for (const [name, version] of Object.entries(dependencies)) {
        // A pre-release may be newer than the latest release.
        if (/^[\d.]+$/.test(version as string)) dependencies[name] = 'latest'
      }
    }
  }
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest, null, 2))
  await runCommand(['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: project,
    env,
  })
  if (manifest.scripts.start) await serveTestedStore(project)
  return {
    directory: project,
    scripts: manifest.scripts,
    versionOf: (name) => versionOf(name, project),
  }
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

/** The code of a guide without the PostgreSQL that it names, and with the token of the apps. */
function inMemory(code: string): string {
  return code
    .replace(/^import .+ from '(?:pg|@neondatabase\/serverless)'\n/m, '')
    .replace(/'(plant-store\/storage\/)postgres'/, "'$1memory'")
    .replace('{ postgresStorage }', '{ memoryStorage }')
    .replace(/postgresStorage\(.+\)/, 'memoryStorage()')
    .replace(/String\(process\.env\.TOKEN\)|process\.env\.TOKEN!/, "'s3cret'")
}

/** The runtimes are the repository's own. */
async function versionOf(name: string, project: string): Promise<string> {
  for (const directory of [project, ROOT, join(ROOT, 'test')]) {
    const manifest = await readJson(join(directory, 'node_modules', name, 'package.json')).catch(
      () => undefined,
    )
    if (manifest) return manifest.version
  }
  throw new Error(`${name} is not installed`)
}

async function readJson(path: string) {
  return JSON.parse(await readFile(path, 'utf8'))
}
