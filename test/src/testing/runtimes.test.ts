import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { PATH, ROOT, startProgram } from '../../runtimes/program.ts'
import { startCommand } from '../../shared/command.ts'
import { isNightly } from '../../shared/nightly.ts'

const runners: Record<string, [command: string, ...args: string[]]> = {
  'node:test': ['node', '--test'],
  'bun:test': ['bun', 'test'],
  'Deno.test': ['deno', 'test', '--no-check', '-A'],
}

describe.concurrent.each(Object.entries(runners))('%s', (TEST_FRAMEWORK, [command, ...args]) => {
  async function run(env: Record<string, string>) {
    // With this variable, node:test would report to its parent process in a binary format.
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
    const file = fileURLToPath(new URL('in-runtime.ts', import.meta.url))
    const { exit, output } = startCommand([command, ...args, file], {
      cwd: ROOT,
      env: { ...inherited, ...env, TEST_FRAMEWORK, PATH },
    })
    return { exitCode: await exit, output: output() }
  }

  it('passes a storage that keeps the contract, and fails one that does not', async () => {
    expect(await run({})).toMatchObject({ exitCode: 0 })
    const broken = await run({ BROKEN: 'yes' })
    expect(broken.exitCode).not.toBe(0)
    expect(broken.output).toContain('Violated rule: create returns true for a new id')
  })

  // The guide on adapters is run in node:test by the quick tests too.
  if (isNightly) {
    it('passes a host that keeps the contract', async () => {
      const host = await startProgram('node test/runtimes/entries/serve.ts node')
      const result = await run({ HOST_URL: host.url })
      await host.stop()
      expect(result).toMatchObject({ exitCode: 0 })
    })
  }
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
