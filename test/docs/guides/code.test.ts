import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { usePackedProject } from '../../package/packed-project.ts'
import { installed, installedForTests, run } from '../../runtimes/program.ts'
import { listening } from '../../shared/listening.ts'
import { isNightly } from '../../shared/nightly.ts'
import { skipBecause } from '../../shared/skip.ts'
import { folderOfTest } from '../../shared/temporary-folder.ts'
import { completeExample, docExamples } from './doc-examples.ts'
import { type CodeBlock, codeBlocks, filesOf, GUIDES, readGuide } from './guides.ts'
import { commandsOf, type GuideCommand, matches, type Session, startSession } from './session.ts'

/** Commands that are not run here, and where they are run. */
const ELSEWHERE: Record<string, string> = {
  'npm install express plant-store': 'npm run test:frameworks -- express',
  'npm ci && npm start': '.ci/run and test/adapters/cli.test.ts',
  'npm ci && npm test': '.ci/run',
  'deno add npm:plant-store': 'needs the registry',
  'npx plant-store': 'test/package/bin.test.ts runs the command of the tarball',
  'npx plant-store --mock --cors --port 4010 --token s3cret=demo': 'test/adapters/mock.test.ts',
  'npx plant-store --mock --cors --token w1=worker1 --token w2=worker2':
    'test/adapters/mock.test.ts',
  'openapi-generator-cli generate -i openapi.json -g go -o plants --package-name plants --model-name-mappings NewPlant=PlantWithId':
    'test/generated-clients/go-client.test.ts, where it is installed',
  'npx functions-framework --target=plants --port=3000':
    'npm run test:frameworks -- google-cloud-functions',
  'DB=/var/lib/plants/plants.db node backup.mjs': 'test/src/storage/sqlite-backup.test.ts',
  'cp plants.db.2026-11-28 plants.db': 'test/src/storage/sqlite-backup.test.ts',
  'node --experimental-vm-modules node_modules/jest/bin/jest.js': 'npm run test:frameworks -- jest',
}

/** The scripts of the package itself are run by `npm test`, or by hand. What guides install is linked into their project. */
const isElsewhere = (command: string) =>
  /^npm (?:run|install) /.test(command) || command in ELSEWHERE

/** What `deployment.test.ts` checks. */
const DEPLOYED = ['jsonc', 'ini', 'dockerfile', 'nginx', 'yaml']

const { directory: project } = usePackedProject()
const blocks = GUIDES.flatMap(codeBlocks)
const commands = blocks
  .filter(isShell)
  .flatMap(({ language, code }) => commandsOf(language, code).map(({ command }) => command))
const examples = docExamples().map((example) => ({
  ...example,
  ...completeExample(example),
  file: join(project, 'doc-comments', `${example.source.replaceAll('/', '-')}-${example.line}.ts`),
}))

beforeAll(() => {
  // Beside the package is all that is installed here.
  const modules = join(project, 'node_modules')
  mkdirSync(join(modules, '.bin'))
  symlinkSync('../plant-store/dist/adapters/cli.js', join(modules, '.bin/plant-store'))
  for (const locate of [installed, installedForTests]) {
    for (const name of globSync(['[!@]*', '@*/*'], { cwd: locate('.') })) link(project, name)
  }
  for (const block of blocks.filter(isCode)) write(fileOf(block), block.code)
  for (const { file, code } of examples) write(file, code)
  write(join(project, 'doc-comments/my-storage.ts'), MY_STORAGE)
})

/** The files that the examples of the contract tests import. */
const MY_STORAGE = `export { memoryStorage as myStorage } from 'plant-store/storage/memory'`

function isCode({ language }: CodeBlock): boolean {
  return ['ts', 'tsx', 'js'].includes(language)
}

function isShell({ language }: CodeBlock): boolean {
  return language === 'sh' || language === 'console'
}

/** Compiles a folder as a user's, with declarations of ours, and returns what the compiler prints. */
async function compile(folder: string, declarations: string[], options: object): Promise<string> {
  for (const file of declarations) cpSync(join(import.meta.dirname, file), join(folder, file))
  const compilerOptions = {
    ...{ target: 'es2024', types: ['node'], skipLibCheck: true, strict: true, noEmit: true },
    // Next.js imports without extensions.
    ...{ module: 'esnext', moduleResolution: 'bundler', jsx: 'react-jsx', ...options },
  }
  write(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  const tsc = [installed('typescript/bin/tsc'), '-p', folder]
  const { stdout } = await run(process.execPath, tsc).catch((error) => error)
  return stdout
}

/** The packages of the commands and the sentences of a page that install them. */
function installedBy(guide: string): string[] {
  const text = readGuide(guide)
  const commands = [...text.matchAll(/^(?:npm install|deno add) (.+)$/gm)].flatMap(([, names]) =>
    names!.replace('npm:', '').split(' '),
  )
  // Nuxt brings it.
  if (guide.endsWith('/nuxt.md')) commands.push('h3')
  const types = [...text.matchAll(/add `(@types\/\w+)`/g)].map(([, name]) => name!)
  return [...commands, ...types]
}

/** Links a package into a folder, if it is installed here: `packages.d.ts` declares the others. */
function link(folder: string, name: string): void {
  const path = join(folder, 'node_modules', name)
  const inProject = join(project, 'node_modules', name)
  const target = [inProject, installed(name), installedForTests(name)].find(existsSync)
  if (!target || existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path, 'junction')
}

/** A block that names no file is named by its line. */
function fileOf(block: CodeBlock): string {
  return join(project, block.guide, block.file ?? `line-${block.line}.${block.language}`)
}

function write(file: string, code: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, code)
}

describe('The code of the guides and of the doc comments', () => {
  it('compiles in strict TypeScript', async () => {
    const compilerOptions = {
      ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{ allowJs: true, checkJs: true, allowImportingTsExtensions: true },
      ...{ moduleDetection: 'force', erasableSyntaxOnly: true, verbatimModuleSyntax: true },
    }
    expect(await compile(project, ['ambient.d.ts', 'packages.d.ts'], compilerOptions)).toBe('')
  })

  it('of each host compiles by itself, with no more than the page installs', async () => {
    const root = folderOfTest()
    link(root, '@types/node')
    for (const guide of GUIDES.filter((guide) => /^docs\/hosts\/(?!index)/.test(guide))) {
      const folder = join(root, guide)
      for (const name of installedBy(guide)) link(folder, name)
      for (const block of codeBlocks(guide).filter(isCode)) {
        write(join(folder, block.file ?? `line-${block.line}.ts`), block.code)
      }
    }
    expect(await compile(root, ['packages.d.ts'], {})).toBe('')
  })

  it('names each file once', () => {
    const files = blocks.filter(({ file }) => file).map(fileOf)
    expect(files).toEqual([...new Set(files)])
  })

  it('is in a language that a test checks or runs', () => {
    const languages = ['ts', 'tsx', 'js', 'py', 'sh', 'console', 'sql', ...DEPLOYED]
    expect(blocks.filter(({ language }) => !languages.includes(language))).toEqual([])
  })
})

describe('The examples of the doc comments', () => {
  it('run, if they need no app', async () => {
    const runnable = examples.filter(({ runs }) => runs)
    expect(runnable.length).toBeGreaterThan(8)
    const program = runnable.map(({ file }) => `await import('${pathToFileURL(file)}')`).join('\n')
    const env = { ...process.env, TOKEN: 's3cret', INTROSPECTION_SECRET: 's3cret' }
    // A directory of their own: the guides have databases of the same names.
    const options = { cwd: join(project, 'doc-comments'), env }
    await run(process.execPath, ['--input-type=module', '--eval', program], options)
  })
})

describe('The commands of the guides', () => {
  it('mean the same in bash and zsh', () => {
    for (const command of commands) {
      // At its prompt, zsh passes a comment to the command.
      expect(command.replaceAll(/'[^']*'|"[^"]*"/g, '')).not.toMatch(/[?*[\]~#]|(?:^|\s)=/)
    }
  })

  it('are scripts of the package', () => {
    // `npm run dev` is the app's.
    const named = GUIDES.flatMap((guide) => [
      ...readGuide(guide).matchAll(/npm run (?!dev\b)([\w:]+)/g),
    ])
    const names = new Set(named.map(([, name]) => name!))
    expect([...names].filter((name) => !(name in manifest.scripts))).toEqual([])
  })

  it('are all run, here or elsewhere', () => {
    expect(Object.keys(ELSEWHERE).filter((command) => !commands.includes(command))).toEqual([])
  })

  const tools = ['bash', 'curl', 'sqlite3']
  const missing = tools.filter((tool) => spawnSync(tool, ['--version']).error)
  if (process.platform === 'win32') missing.push('process groups')
  const guides = new Set(blocks.filter(isShell).map(({ guide }) => guide))
  describe('do what is shown', () => {
    skipBecause(missing.length > 0 && `needs ${missing}`)

    it.concurrent.each([...guides])('by %s', runGuide, 240_000)
  })
})

describe('The servers of Express in the guides', () => {
  const servers = blocks.filter(
    ({ code }) => /^import express/m.test(code) && /\.listen\(/.test(code),
  )
  it.each(servers)('end with an error if their port is taken: $guide', async (block) => {
    const { port } = await listening(createServer())
    const file = join(dirname(fileOf(block)), `taken-${block.file}`)
    write(file, block.code.replace('3000', String(port)))
    await expect(run(process.execPath, [file], { cwd: dirname(file) })).rejects.toMatchObject({
      stderr: expect.stringContaining('EADDRINUSE'),
    })
  })
})

/** Copies what a guide shows into an empty project, and runs its commands there. */
async function runGuide(guide: string): Promise<void> {
  const folder = join(project, 'run', guide)
  // As `npm init` writes it.
  const manifest = { private: true, type: 'commonjs', dependencies: { 'plant-store': '*' } }
  write(join(folder, 'package.json'), JSON.stringify(manifest))
  await using session = await startSession(folder)
  for (const block of blocks.filter((block) => block.guide === guide)) {
    if (isCode(block) && block.file) {
      write(join(folder, block.file), session.withPort(block.code))
    }
    if (!isShell(block)) continue
    for (const documented of commandsOf(block.language, block.code)) {
      if (isElsewhere(documented.command)) continue
      await runAsShown(session, documented)
    }
  }
}

async function runAsShown(session: Session, { command, output }: GuideCommand): Promise<void> {
  const printed = await session.run({ command, output })
  const expected = session.withPort(output)
  // The command, so that a failure names it.
  if (!matches(expected, printed))
    expect(`$ ${command}\n${printed}`).toBe(`$ ${command}\n${expected}`)
}

describe('Each test runner that the guide names', () => {
  const guide = readGuide('docs/tasks/test.md')
  const rows = [...guide.matchAll(/^\| (\w+) \| `(import .+?)` \| `(.+)` \|$/gm)]

  const tried = isNightly ? rows : rows.slice(0, 1)
  it.each(tried.map(([, runner, line, command]) => [runner!, line!, command!] as const))(
    'runs the storage tests: %s',
    async (runner, line, command) => {
      const folder = join(project, 'runners', runner)
      for (const [file, code] of filesOf('docs/tasks/write-a-storage.md')) {
        write(join(folder, file), code.replace(/^import \{ describe, it \}.*$/m, line))
      }
      const [program, ...args] = command.replace(/^npx /, '').split(' ')
      await run(program!, args, { cwd: folder })
    },
    240_000,
  )

  it('is in the table', () => {
    expect(rows.map(([, runner]) => runner)).toEqual(['Node', 'Vitest', 'Bun', 'Deno'])
  })
})
