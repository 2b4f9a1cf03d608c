import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { installed } from '../runtimes/program.ts'
import { runInstalled, usePackedProject } from './packed-project.ts'

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

/** An app that exports all that each entry exports, and all that its functions return. */
async function appOf(): Promise<string> {
  const lines = ['declare function returned<R>(call: (...args: any[]) => R): R']
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
      if (isFunction) lines.push(`export const result${name}${index} = returned(m${index}.${name})`)
    }
  }
  return lines.join('\n')
}

describe('An app that emits declarations', () => {
  it.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('can name all types of every entry: module %s, resolution %s', async (module, resolution) => {
    const app = await appOf()
    expect(app.match(/result/g)!.length).toBeGreaterThan(20)
    await writeFile(join(project.directory, 'app.ts'), app)
    const compilerOptions = {
      ...{ module, moduleResolution: resolution, target: 'es2024', strict: true },
      ...{ declaration: true, emitDeclarationOnly: true, outDir: 'types', skipLibCheck: true },
      types: ['node'],
    }
    const tsconfig = JSON.stringify({ compilerOptions, files: ['app.ts'] })
    await writeFile(join(project.directory, 'tsconfig.json'), tsconfig)
    const compiled = runInstalled(
      'typescript/bin/tsc',
      ['-p', project.directory],
      project.directory,
    )
    const { stdout } = await compiled.catch((error) => error)
    expect(stdout).toBe('')
  })
})
