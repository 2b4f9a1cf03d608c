// Installs real apps from the packed package, builds them, starts them and drives them over HTTP:
//
//   npm run test:frameworks                     all of them
//   npm run test:frameworks -- nextjs sveltekit   some of them
//   npm run test:frameworks -- --newest         with the newest versions of everything, which are not saved
//
// Each app is a folder in apps/, as its framework's starter makes it. One with a `start` script runs
// `testPlantAdapter`, except for what limits.ts names, and is driven by suite.ts; one with a `test` script tests itself.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endCommand, runCommand, startCommand } from '../shared/command.ts'
import { freePort } from '../shared/free-port.ts'
import { type App, apps, type Mount } from './apps.ts'
import { limits } from './limits.ts'
import { createWorkshop, installApp, type Project } from './project.ts'
import { type Api, drive, list } from './suite.ts'

const START_MS = 120_000

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
  if (chosen.length === 0 || chosen.includes(app.name)) await runApp(app)
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

/** Runs an app, and prints a line for each of its mounts. */
async function runApp(app: App): Promise<void> {
  const startedAt = performance.now()
  const { mounts = [{ path: '/api' }] } = app
  let versions = ''
  let failures: Map<Mount, unknown>
  try {
    const project = await installApp(app, workshop, isNewest)
    versions = project.versions
    failures = await driveApp(app, mounts, project)
  } catch (error) {
    failures = new Map(mounts.map((mount) => [mount, error]))
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  for (const mount of mounts) {
    const isFailed = failures.has(mount)
    console.log(`${isFailed ? '✗' : '✓'} ${titleOf(app.name, mount)}, ${seconds} s: ${versions}`)
    if (isFailed) console.log(explain(failures.get(mount)))
    isFailed ? failed++ : passed++
  }
}

/** Builds, starts and drives an app, and starts it again; or lets it test itself. Returns what failed. */
async function driveApp(
  { name, start = 'start' }: App,
  mounts: readonly Mount[],
  { directory, scripts }: Project,
): Promise<Map<Mount, unknown>> {
  const failures = new Map<Mount, unknown>()
  const { env } = workshop
  const options = { cwd: directory, env }
  if (!scripts[start]) {
    await runCommand(['npm', 'test'], options)
    return failures
  }
  if (scripts.build) await runCommand(['npm', 'run', 'build'], options)
  if (existsSync(join(directory, 'app.db'))) throw new Error('The build has opened the database')

  async function inServer(check: (api: Api) => Promise<void>, problem: string): Promise<void> {
    const { origin, output, stop } = await startApp(start, directory)
    for (const mount of mounts) {
      const title = titleOf(name, mount)
      const knownLimits = limits[title] ?? limits[name]
      await check({ url: origin + mount.path, mount, output, limits: knownLimits }).catch(
        (cause) => {
          const printed = output().slice(-4000)
          failures.set(mount, new Error(`${problem} It printed:\n${printed}`, { cause }))
        },
      )
    }
    await stop()
  }
  await inServer(drive, 'It fails.')
  // It opens the database that the first start created.
  await inServer(list, 'Started again, it does not list.')
  return failures
}

/** Runs a script of an app on a free port, and waits for the first response. */
async function startApp(script: string, cwd: string) {
  // The frameworks' own commands can't report a port that they chose.
  const port = await freePort()
  const env = { ...workshop.env, PORT: String(port), HOST: '127.0.0.1' }
  const command = startCommand(['npm', 'run', script], { cwd, env, detached: true })
  const origin = `http://127.0.0.1:${port}`
  for (const deadline = Date.now() + START_MS; !(await responds(origin)); await delay(200)) {
    if (Date.now() < deadline && command.child.exitCode === null) continue
    await endCommand(command)
    throw new Error(`The app did not start:\n${command.output()}`)
  }
  return { origin, output: command.output, stop: () => endCommand(command) }
}

async function responds(origin: string): Promise<boolean> {
  try {
    await (await fetch(origin, { signal: AbortSignal.timeout(5000) })).text()
    return true
  } catch {
    return false
  }
}

function titleOf(name: string, { title }: Mount): string {
  return title ? `${name} (${title})` : name
}

/** Returns what failed and why, without the stacks of the runner. */
function explain(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(explain).join('\n')
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}\n${explain(error.cause)}`
}
