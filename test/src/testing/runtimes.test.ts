import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PATH, type Program, ROOT, startProgram } from '../../runtimes/program.ts'
import { startCommand } from '../../shared/command.ts'
import { isNightly } from '../../shared/nightly.ts'

const file = fileURLToPath(new URL('in-runtime.ts', import.meta.url))

const runners: Record<string, [command: string, ...args: string[]]> = {
  'node:test under Node': ['node', '--test', file],
  'node:test under Bun': ['bun', 'test', file],
  'node:test under Deno': ['deno', 'test', '--no-check', '--allow-env', file],
  'bun:test': ['bun', 'test', file],
  'Deno.test': ['deno', 'test', '--no-check', '--allow-env', file],
}

describe.concurrent('testPlantStorage in other test frameworks', () => {
  for (const [name, runner] of Object.entries(runners)) {
    if (name.includes(' under ') && name !== 'node:test under Node' && !isNightly) continue
    const TEST_FRAMEWORK = name.replace(/ under .*/, '')

    it(`${name} passes a storage that keeps the contract, and fails one that does not`, async () => {
      expect(await run(runner, { TEST_FRAMEWORK })).toMatchObject({ exitCode: 0 })
      const broken = await run(runner, { TEST_FRAMEWORK, BROKEN: 'yes' })
      expect(broken.exitCode).not.toBe(0)
      expect(broken.output).toContain('Violated rule: create returns true for a new id')
    })
  }
})

describe('testPlantAdapter in other test frameworks', () => {
  const adapterTests = fileURLToPath(new URL('adapter-in-runtime.ts', import.meta.url))
  let host: Program
  beforeAll(async () => {
    host = await startProgram('node test/runtimes/entries/serve.ts node')
  })
  afterAll(() => host?.stop())

  const adapterRunners = [
    ['node:test', 'node', '--test', adapterTests],
    ['bun:test', 'bun', 'test', adapterTests],
    ['node:test', 'deno', 'test', '--no-check', '-A', adapterTests],
  ] as const
  it.each(isNightly ? adapterRunners : adapterRunners.slice(0, 1))(
    '%s under %s passes a host that keeps the contract',
    async (framework, ...rest) => {
      const runner = rest as readonly string[] as readonly [string, ...string[]]
      const env = { TEST_FRAMEWORK: framework, HOST_URL: host.url }
      expect(await run(runner, env)).toMatchObject({ exitCode: 0 })
    },
  )
})

describe('plant-store/testing', () => {
  it('loads nothing of Node until an adapter is tested', async () => {
    const { metafile } = await build({
      entryPoints: [fileURLToPath(new URL('../../../src/testing.ts', import.meta.url))],
      bundle: true,
      format: 'esm',
      external: ['node:*'],
      metafile: true,
      write: false,
    })
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports)
    expect(imports.map(({ kind }) => kind)).not.toContain('import-statement')
    expect(imports.map(({ path }) => path)).toContain('node:net')
  })
})

async function run(
  [command, ...args]: readonly [string, ...string[]],
  env: Record<string, string>,
): Promise<{ exitCode: number | null; output: string }> {
  // With this variable, node:test would report to its parent process in a binary format.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
  const { exit, output } = startCommand(command, args, ROOT, { ...inherited, ...env, PATH })
  return { exitCode: await exit, output: output() }
}
