import { mkdir, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { PACKED } from '../docs/guides/guides.ts'
import { installed } from '../runtimes/program.ts'
import { run, runInstalled, usePackedProject } from './packed-project.ts'

/** `plant-store/node` for `./node`. */
const specifiers = Object.keys(manifest.exports).map((name) => posix.join('plant-store', name))
const modules = specifiers.filter((name) => !name.endsWith('.json'))

/** Node can't import it, since only workerd has the module `cloudflare:workers`. */
const workerdOnly = 'plant-store/storage/durable-objects'

const project = usePackedProject('jose')

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

  // The guides' code compiles with moduleResolution bundler: test/docs/guides/code.test.ts.
  it('serves a TypeScript user with moduleResolution nodenext', async () => {
    const imports = modules.map((name, index) => `import * as m${index} from '${name}'`)
    const uses = modules.map((_, index) => `console.log(m${index})`)
    const requires = modules.map((name, index) => `import m${index} = require('${name}')`)
    await writeFile(join(project.directory, 'every-export.ts'), [...imports, ...uses].join('\n'))
    await writeFile(join(project.directory, 'required.cts'), [...requires, ...uses].join('\n'))
    const options = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true }
    // Without the DOM: Fetch's types come from @types/node.
    const types = { lib: ['es2024'], types: ['node'], typeRoots: [installed('@types')] }
    // Without skipLibCheck, so that the package's declarations are checked, too.
    const paths = { fastify: [installed('fastify/fastify.d.ts')] }
    const tsconfig = {
      compilerOptions: { ...options, ...types, paths },
      include: ['*.ts', '*.cts'],
    }
    await writeFile(join(project.directory, 'tsconfig.json'), JSON.stringify(tsconfig))
    await runInstalled('typescript/bin/tsc', ['-p', project.directory], project.directory)
  })

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
