import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { MODULES } from '../docs/guides/declarations.ts'
import { PACKED } from '../docs/guides/guides.ts'
import { installed, installedForTests, run } from '../runtimes/program.ts'
import { runInstalled, usePackedProject } from './packed-project.ts'

const modules = MODULES.map(({ specifier }) => specifier)

/** Node can't import it, since only workerd has the module `cloudflare:workers`. */
const workerdOnly = 'plant-store/storage/durable-objects'

const REQUIRES_ALL = modules
  .map((name, index) => `import m${index} = require('${name}')\nconsole.log(m${index})`)
  .join('\n')

const project = usePackedProject('jose')
beforeAll(async () => {
  for (const name of ['fastify', '@types/node', '@types/express']) {
    const link = join(project.directory, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(installed(name), link, 'junction')
  }
})

describe('The packed package', () => {
  it('holds dist, the pages of the command, the guides and the license, and no more', () => {
    const others = project.files.filter((path) => !path.startsWith('dist/'))
    expect(others.sort()).toEqual(PACKED.toSorted())
  })

  it('is sound to publint', async () => {
    await runInstalled('publint/src/cli.js', [project.tarball, '--strict'])
  })

  it.each([
    ['imported', 'module', 'await import'],
    ['required from CommonJS', 'commonjs', 'require'],
  ])('is %s', async (_, type, load) => {
    const names = modules.filter((name) => name !== workerdOnly)
    const script = `for (const name of ${JSON.stringify(names)}) console.log(Object.keys(${load}(name))[0])`
    const { stdout, stderr } = await run(process.execPath, [`--input-type=${type}`, '-e', script], {
      cwd: project.directory,
    })
    expect(stdout.trim().split('\n')).toHaveLength(names.length)
    expect(stdout).not.toContain('undefined')
    expect(stderr).toBe('')
  })

  it.each([
    // The oldest TypeScript that the package supports.
    ['5.4', 'nodenext', installedForTests('typescript-5.4'), ['esnext', 'dom']],
    ['current', 'bundler', installed('typescript'), ['esnext', 'dom']],
    // Without the DOM: Fetch's types come from @types/node.
    ['current', 'nodenext', installed('typescript'), ['es2024']],
  ])(
    'serves an app that emits declarations of all that it has: TypeScript %s, %s',
    async (version, moduleResolution, typescript, lib) => {
      const folder = join(project.directory, `${version}-${moduleResolution}`)
      const app = appOf()
      expect(app.match(/result/g)!.length).toBeGreaterThan(20)
      await mkdir(folder)
      await writeFile(join(folder, 'app.ts'), app)
      // The last one alone requires ES modules.
      if (!lib.includes('dom')) await writeFile(join(folder, 'required.cts'), REQUIRES_ALL)
      const module = moduleResolution === 'nodenext' ? 'nodenext' : 'esnext'
      const compilerOptions = {
        ...{ module, moduleResolution, target: 'es2022', lib, skipLibCheck: false },
        ...{ strict: true, declaration: true, outDir: 'types', types: ['node'] },
      }
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
      const tsc = [join(typescript, 'bin/tsc'), '-p', folder]
      const { stdout } = await run(process.execPath, tsc).catch((error) => error)
      expect(stdout).toBe('')
    },
  )

  it('compiles in an app whose lib lacks Symbol.asyncDispose, and without the types of Node', async () => {
    const folder = join(project.directory, 'plain')
    await mkdir(folder)
    const app = `
      import { createPlantStore } from 'plant-store'
      import { createPlantClient } from 'plant-store/client'
      import { memoryStorage } from 'plant-store/storage/memory'
      const store = createPlantStore(memoryStorage(), () => ({ owner: 'alice' }))
      const fetch: typeof globalThis.fetch = async (...request) => store.fetch(new Request(...request))
      await createPlantClient({ baseUrl: 'http://localhost', token: 't', fetch }).list()
      await store.close()`
    await writeFile(join(folder, 'app.ts'), app)
    const lib = ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable']
    const compilerOptions = { module: 'esnext', moduleResolution: 'bundler', target: 'es2022', lib }
    const options = { ...compilerOptions, types: [], strict: true, noEmit: true }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
    await runInstalled('typescript/bin/tsc', ['-p', folder], folder)
  })

  it('has schemas that work with the zod of the app', async () => {
    const script = `
      import * as z from 'zod'
      import { NewPlant, Plant } from 'plant-store'
      const New = z.object({ plants: z.array(NewPlant) })
      const { success, error } = New.safeParse({ plants: [{ id: 7, name: 'Fern' }] })
      console.log(success, error.issues[0].path.join('.'), error.issues[0].message)
      console.log(JSON.stringify(z.toJSONSchema(Plant).required))
      console.log(Plant instanceof z.core.$ZodObject)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
      cwd: project.directory,
    })
    expect(stdout.split('\n')).toEqual([
      'false plants.0.id must be a bigint, such as 7n; got the number 7',
      '["name"]',
      'true',
      '',
    ])
  })
})

/** An app that exports all that each entry exports, what its functions return, and that spread as a wrapper does it. */
function appOf(): string {
  const lines = [
    'declare function returned<R>(call: (...args: any[]) => R): Awaited<R>',
    // Nobody spreads a Response, whose types are those of the DOM or of Node.
    'declare function object<T>(value: T): T extends Response ? {} : T extends object ? T : {}',
  ]
  for (const [index, { specifier, exports }] of MODULES.entries()) {
    lines.push(`import * as m${index} from '${specifier}'`)
    for (const { name, isType, isFunction } of exports) {
      if (!isType) lines.push(`export const ${name}${index} = m${index}.${name}`)
      if (!isFunction) continue
      lines.push(`export const result${name}${index} = returned(m${index}.${name})`)
      lines.push(`export const spread${name}${index} = { ...object(result${name}${index}) }`)
    }
  }
  return lines.join('\n')
}
