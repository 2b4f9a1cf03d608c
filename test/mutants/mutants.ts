// Changes the code in one small way after another, and runs the tests on each change:
//
//   npm run mutants                         all of src and adapters, which takes hours
//   npm run mutants -- src/http adapters    folders, or files
//   npm run mutants -- --changed            files that differ from main, committed or not
//   npm run mutants -- src/auth --every 6   a sample: one block of 10 lines in 6
//
// It prints each mutant that no test has noticed, and a table of scores. Only tests in rooms.ts are run.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { ROOT } from '../runtimes/program.ts'
import { type Room, rooms } from './rooms.ts'

type Stryker = new (
  options: Record<string, unknown>,
) => { runMutationTest(): Promise<{ status: string }[]> }

process.chdir(ROOT)
const { Stryker } = await installStryker()
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { changed: { type: 'boolean' }, every: { type: 'string' } },
})
const paths = values.changed ? changedFiles() : positionals
const every = Number(values.every ?? 1)
let blocks = 0

const rows: string[] = []
for (const room of rooms) {
  const files = filesIn(room.code).filter((file) => isChosen(file))
  if (files.length > 0) rows.push(await mutate(room, files))
}
console.log('| Code | Mutants | Noticed | Score |\n|---|---|---|---|')
console.log(rows.join('\n') || 'There is no code to mutate here')

function isChosen(file: string): boolean {
  if (positionals.length === 0 && !values.changed) return true
  return paths.some((path) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`))
}

function changedFiles(): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n')
  const changed = git('diff', '--name-only', '--merge-base', 'main')
  return [...changed, ...git('ls-files', '--others', '--exclude-standard')]
}

function filesIn(globs: readonly string[]): string[] {
  const files = globs.map((glob) => globSync(glob))
  const empty = globs.find((_, index) => files[index]!.length === 0)
  if (empty !== undefined) throw new Error(`rooms.ts names ${empty}, and there is no such file`)
  return files.flat().map((file) => file.replaceAll('\\', '/'))
}

/** Returns the ranges of lines to mutate, as Stryker takes them. */
function sampleOf(file: string): string[] {
  if (every === 1) return [file]
  const lines = readFileSync(file, 'utf8').split('\n').length
  const starts = Array.from({ length: Math.ceil(lines / 10) }, (_, block) => 10 * block + 1)
  return starts.filter(() => blocks++ % every === 0).map((line) => `${file}:${line}-${line + 9}`)
}

/** Returns the room's row of the table. */
async function mutate({ name, tests, isElsewhere }: Room, files: string[]): Promise<string> {
  const testFiles = filesIn(tests)
  const runner = isElsewhere
    ? {
        testRunner: 'command',
        commandRunner: { command: `npx --no vitest run --bail 1 ${testFiles.join(' ')}` },
      }
    : {
        testRunner: 'vitest',
        plugins: ['@stryker-mutator/vitest-runner'],
        vitest: { configFile: 'test/mutants/vitest.config.ts', related: false },
        testFiles,
        coverageAnalysis: 'perTest',
        // A mutant in code that runs once, when its module is loaded, takes a run of all tests.
        ignoreStatic: true,
      }
  const stryker = new Stryker({
    ...runner,
    mutate: files.flatMap((file) => sampleOf(file)),
    // There is no such file: TypeScript 7 has no API that would read it.
    tsconfigFile: 'none.json',
    ignorePatterns: ['/dist', '/coverage'],
    reporters: ['clear-text', 'progress'],
    clearTextReporter: { reportTests: false, reportScoreTable: false, logTests: false },
    concurrency: 2,
    timeoutMS: 15_000,
    dryRunTimeoutMinutes: 15,
  })
  const results = await stryker.runMutationTest()
  const count = (...statuses: string[]) =>
    results.filter(({ status }) => statuses.includes(status)).length
  const noticed = count('Killed', 'Timeout')
  const all = noticed + count('Survived', 'NoCoverage')
  return `| ${name} | ${all} | ${noticed} | ${((100 * noticed) / all).toFixed(1)} % |`
}

/** Installs Stryker, which npm ci leaves out: it is 63 MB. */
async function installStryker(): Promise<{ Stryker: Stryker }> {
  const project = join(ROOT, 'node_modules', '.mutants')
  const source = join(ROOT, 'test', 'mutants')
  if (!isCurrent(project)) {
    for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
      cpSync(join(source, file), join(project, file))
    }
    const shell = process.platform === 'win32'
    execFileSync('npm', ['ci'], { cwd: project, stdio: 'inherit', shell })
  }
  const path = createRequire(join(project, 'package.json')).resolve('@stryker-mutator/core')
  return import(pathToFileURL(path).href)

  function isCurrent(project: string): boolean {
    if (!existsSync(join(project, 'node_modules'))) return false
    const read = (folder: string) => readFileSync(join(folder, 'package-lock.json'), 'utf8')
    return read(project) === read(source)
  }
}
