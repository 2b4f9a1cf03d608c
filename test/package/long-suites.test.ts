import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { ROOT, run } from '../runtimes/program.ts'
import { skipBecause } from '../shared/skip.ts'

/** With so little work that each ends at once, but from its first import to its last line. */
const SUITES = {
  bench: 'node test/bench/bench.ts --help',
  hostile: 'node test/hostile/hostile.ts --host node --connections 0',
  faults: 'node test/faults/faults.ts --kills 0 --failovers 0',
  restarts: 'node test/faults/restarts/restarts.ts --restarts 0',
  overload: 'node test/overload/overload.ts no-storage',
}

describe('Each long suite', () => {
  skipBecause(process.platform !== 'linux' && 'needs Linux')

  it.concurrent.each(Object.entries(SUITES))('starts and ends: %s', async (name, command) => {
    const [program, ...args] = command.split(' ')
    expect(manifest.scripts[name as keyof typeof manifest.scripts]).toContain(`node ${args[0]}`)
    await run(program!, args)
  })

  it('of the frameworks starts, and refuses an unknown app', async () => {
    const starting = run('node', ['test/frameworks/run.ts', 'none'])
    await expect(starting).rejects.toThrow('There is no app none; there are adonisjs ')
  })
})

describe('Each script of the package', () => {
  const steps = Object.values(manifest.scripts).flatMap((script) => script.split(' && '))

  it.each([...new Set(steps)])('names files, folders and scripts that are there: %s', (step) => {
    const prefix = /--prefix (\S+)/.exec(step)?.[1] ?? '.'
    const { scripts } = JSON.parse(readFileSync(join(ROOT, prefix, 'package.json'), 'utf8'))
    const [, script] = /npm run (\S+)/.exec(step) ?? []
    if (script) expect(scripts).toHaveProperty([script])
    for (const file of step.match(/\S+\/\S+\.\w+/g) ?? []) {
      expect([file, existsSync(join(ROOT, file))]).toEqual([file, true])
    }
  })
})
