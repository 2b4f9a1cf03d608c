import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { installed, installedForTests } from '../runtimes/program.ts'
import { run, usePackedProject } from './packed-project.ts'

const project = usePackedProject('jose')
beforeAll(async () => {
  for (const name of ['fastify', '@types/node', '@types/express']) {
    const link = join(project.directory, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(installed(name), link, 'junction')
  }
})

/** The values that a declaration file exports. */
function valuesOf(declarations: string): string[] {
  const own = [...declarations.matchAll(/^export declare (?:function|class|const) (\w+)/gm)]
  const passedOn = [...declarations.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, names]) =>
    names!.split(',').filter((name) => !/^\s*type\s/.test(name)),
  )
  const names = passedOn.map((name) => name.trim().split(' as ').at(-1)!)
  return [...new Set([...own.map(([, name]) => name!), ...names])].filter(Boolean)
}

/** An app that exports all that each entry exports, what its functions return, and that spread as a wrapper does it. */
async function appOf(): Promise<string> {
  const lines = [
    'declare function returned<R>(call: (...args: any[]) => R): Awaited<R>',
    'declare function object<T>(value: T): T extends object ? T : {}',
  ]
  for (const [index, [entry, target]] of Object.entries(manifest.exports).entries()) {
    if (typeof target === 'string') continue
    const declarations = await readFile(
      join(project.directory, 'node_modules/plant-store', target.types),
      'utf8',
    )
    lines.push(`import * as m${index} from 'plant-store${entry.slice(1)}'`)
    for (const name of valuesOf(declarations)) {
      lines.push(`export const ${name}${index} = m${index}.${name}`)
      const isFunction = new RegExp(`^export declare function ${name}\\b`, 'm').test(declarations)
      if (!isFunction) continue
      lines.push(`export const result${name}${index} = returned(m${index}.${name})`)
      lines.push(`export const spread${name}${index} = { ...object(result${name}${index}) }`)
    }
  }
  return lines.join('\n')
}

const COMPILERS = { current: installed('typescript'), '5.4': installedForTests('typescript-5.4') }

describe.each(Object.entries(COMPILERS))(
  'An app that emits declarations, with TypeScript %s',
  (_, typescript) => {
    it.each([
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ])(
      'can name all types of every entry: module %s, resolution %s',
      async (module, resolution) => {
        const app = await appOf()
        expect(app.match(/result/g)!.length).toBeGreaterThan(20)
        await writeFile(join(project.directory, 'app.ts'), app)
        const compilerOptions = {
          ...{ module, moduleResolution: resolution, target: 'es2022', lib: ['esnext', 'dom'] },
          ...{ declaration: true, emitDeclarationOnly: true, outDir: 'types', skipLibCheck: true },
          ...{ strict: true, types: ['node'] },
        }
        const tsconfig = JSON.stringify({ compilerOptions, files: ['app.ts'] })
        await writeFile(join(project.directory, 'tsconfig.json'), tsconfig)
        const arguments_ = [join(typescript, 'bin/tsc'), '-p', project.directory]
        const { stdout } = await run(process.execPath, arguments_).catch((error) => error)
        expect(stdout).toBe('')
      },
    )
  },
)
