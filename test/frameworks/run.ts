// Installs real apps from the packed package, builds them, starts them and drives them over HTTP:
//
//   npm run test:frameworks                     all of them
//   npm run test:frameworks -- next sveltekit   some of them
//   npm run test:frameworks -- --newest         with the newest versions of everything, which are not saved
//
// Each app is a folder in apps/, as its framework's starter makes it. One with a `start` script runs
// `testPlantAdapter`, except for what limits.ts names, and is driven by suite.ts; one with a `test` script tests itself.
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createPlantClient } from '../../src/client.ts'
import { runCommand } from '../shared/command.ts'
import { type App, apps, DEFAULT_MOUNTS, type Mount } from './apps.ts'
import { createWorkshop, installApp, type Project, type Workshop } from './project.ts'
import { startServer } from './server.ts'
import { drive, TOKEN } from './suite.ts'

const args = process.argv.slice(2)
const isNewest = args.includes('--newest')
const chosen = args.filter((arg) => arg !== '--newest')
const unknown = chosen.filter((name) => !apps.some((app) => app.name === name))
if (unknown.length > 0) {
  const names = apps.map(({ name }) => name).join(' ')
  throw new Error(`There is no app ${unknown.join(' ')}; there are ${names}`)
}

let passed = 0
let failed = 0
const workshop = await createWorkshop()
for (const app of apps) {
  if (isNewest && app.versions) continue
  if (chosen.length === 0 || chosen.includes(app.name)) await runApp(app, workshop)
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

/** Runs an app, and prints a line for each of its mounts. */
async function runApp(app: App, workshop: Workshop): Promise<void> {
  const startedAt = performance.now()
  const mounts = app.mounts ?? DEFAULT_MOUNTS
  const report = (mount: Mount, version: string | undefined, error?: unknown) => {
    const title = titleOf(app, mount)
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    if (error === undefined) passed++
    else failed++
    console.log(`${error === undefined ? '✓' : '✗'} ${title} ${version ?? ''} ${seconds} s`)
    if (error !== undefined) console.log(explain(error))
  }
  try {
    const project = await installApp(app, workshop, isNewest)
    const version = await project.versionOf(app.versionOf ?? app.name)
    if (project.scripts.start) {
      await driveApp(app, project, mounts, workshop, (mount, error) =>
        report(mount, version, error),
      )
    } else {
      await runCommand(['npm', 'test'], { cwd: project.directory, env: workshop.env })
      report(mounts[0]!, version)
    }
  } catch (error) {
    for (const mount of mounts) report(mount, undefined, error)
  }
}

async function driveApp(
  app: App,
  { directory, scripts }: Project,
  mounts: readonly Mount[],
  { env }: Workshop,
  report: (mount: Mount, error?: unknown) => void,
): Promise<void> {
  const data = join(directory, 'data')
  const appEnv = { ...env, PLANT_STORE_DB: join(data, 'plants.db') }
  // There is no folder for the database yet: a build that opens it fails.
  if (scripts.build) await runCommand(['npm', 'run', 'build'], { cwd: directory, env: appEnv })
  if (existsSync(join(directory, 'plants.db'))) throw new Error('The build has opened the database')
  await mkdir(data)
  const failures = new Map<Mount, unknown>()
  const server = await startServer(directory, appEnv)
  try {
    for (const mount of mounts) {
      const api = { url: server.origin + mount.path, mount, title: titleOf(app, mount) }
      await drive(api).catch((cause) => {
        failures.set(mount, new Error(`It printed:\n${server.output().slice(-4000)}`, { cause }))
      })
    }
  } finally {
    await server.stop()
  }
  // It opens the database that the first start created.
  const restarted = await startServer(directory, appEnv)
  try {
    for (const mount of mounts) {
      const plants = createPlantClient({ baseUrl: restarted.origin + mount.path, token: TOKEN })
      await plants.listPage().catch((cause) => {
        failures.set(mount, new Error('Started again, it does not list', { cause }))
      })
      report(mount, failures.get(mount))
    }
  } finally {
    await restarted.stop()
  }
}

function titleOf(app: App, mount: Mount): string {
  return mount.title ? `${app.title} (${mount.title})` : app.title
}

/** Returns what failed and why, without the stacks of the runner. */
function explain(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(explain).join('\n')
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}\n${explain(error.cause)}`
}
