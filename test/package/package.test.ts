import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { GUIDES } from '../docs/guides/guides.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const bin = (name: string) => join(root, 'node_modules/.bin', name)

/** `plant-store/node` for `./node`. */
const specifiers = Object.keys(manifest.exports).map((name) => join('plant-store', name))
const modules = specifiers.filter((name) => !name.endsWith('.json'))

/** What can't be imported in Node: the module `cloudflare:workers` is workerd's. */
const workerdOnly = 'plant-store/storage/durable-objects'

let project: string
let tarball: string
let packed: string[]

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'plant-store-package-'))
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', project]
  const { stdout } = await run('npm', pack, { cwd: root })
  const report = Object.values(JSON.parse(stdout))[0] as {
    filename: string
    files: { path: string }[]
  }
  tarball = join(project, report.filename)
  packed = report.files.map(({ path }) => path)

  await writeFile(join(project, 'package.json'), '{ "type": "module", "private": true }')
  // The dependencies come from this checkout, so that the test needs no network.
  const dependencies = ['zod', 'itty-router', 'jose'].map((name) =>
    join(root, 'node_modules', name),
  )
  const install = ['install', '--install-links', '--offline', '--no-audit', '--no-fund']
  await run('npm', [...install, tarball, ...dependencies], { cwd: project })
})

afterAll(() => rm(project, { recursive: true, force: true }))

describe('The packed package', () => {
  it('holds dist, the guides and the license, and no more', () => {
    const others = packed.filter((path) => !path.startsWith('dist/'))
    const guides = [...GUIDES, 'llms.txt', 'test/bench/results.svg']
    expect(others.sort()).toEqual([...guides, 'LICENSE', 'package.json'].sort())
  })

  it('is sound to publint', async () => {
    await run(process.execPath, [bin('publint'), tarball, '--strict'])
  })

  it('has types that resolve as its code does', async () => {
    const exclude = ['--exclude-entrypoints', 'openapi.json', 'package.json']
    await run(process.execPath, [bin('attw'), tarball, '--profile', 'esm-only', ...exclude])
  })

  it.each(modules.filter((name) => name !== workerdOnly))('imports %s', async (name) => {
    const script = `console.log(Object.keys(await import('${name}')).length)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
      cwd: project,
    })
    expect(Number(stdout)).toBeGreaterThan(0)
  })

  it('has the OpenAPI document of its own version', async () => {
    const path = join(project, 'node_modules/plant-store/dist/openapi.json')
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ openapi: '3.1.0' })
  })

  it.each([
    ['nodenext', 'nodenext'],
    ['bundler', 'esnext'],
  ])('serves a TypeScript user with moduleResolution %s', async (moduleResolution, module) => {
    await cp(join(import.meta.dirname, 'consumer.ts'), join(project, 'consumer.ts'))
    const imports = modules.map((name, index) => `import * as m${index} from '${name}'`)
    const uses = modules.map((_, index) => `console.log(m${index})`)
    await writeFile(join(project, 'every-export.ts'), [...imports, ...uses].join('\n'))
    const options = { module, moduleResolution, target: 'es2024', strict: true, noEmit: true }
    const types = { types: ['node'], typeRoots: [join(root, 'node_modules/@types')] }
    const tsconfig = {
      compilerOptions: { ...options, ...types, skipLibCheck: true },
      include: ['*.ts'],
    }
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify(tsconfig))
    await run(bin('tsc'), ['-p', project], { cwd: project })
  })

  it('runs what README shows', async () => {
    const { stdout } = await run(process.execPath, ['consumer.ts'], { cwd: project })
    expect(stdout).toBe('200 [{"name":"Monstera"}]\n')
  })
})
