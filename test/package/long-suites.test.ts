import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { PATH, ROOT } from '../runtimes/program.ts'
import { skipBecause } from '../shared/skip.ts'

const run = promisify(execFile)

/** With so little work that each ends at once, but from its first import to its last line. */
const SUITES = {
  bench: 'node test/bench/bench.ts --help',
  'test:nodes': 'node test/runtimes/test-on-nodes.ts 0',
  timing: 'node test/security/timing.ts',
  hostile: 'node test/hostile/hostile.ts --host node --connections 0',
  faults: 'node test/faults/faults.ts --kills 0 --failovers 0',
  restarts: 'node test/faults/restarts/restarts.ts --restarts 0 --proxy own --storage SQLite',
  overload: 'node test/overload/overload.ts no-storage',
}
/** They install packages of their own before anything else. */
const INSTALLING = ['test:frameworks', 'test:orms']

describe('Each long suite', () => {
  skipBecause(process.platform !== 'linux' && 'needs Linux')

  it.concurrent.each(Object.entries(SUITES))('starts and ends: %s', async (name, command) => {
    const [program, ...args] = command.split(' ')
    expect(manifest.scripts[name as keyof typeof manifest.scripts]).toContain(`node ${args[0]}`)
    const env = { ...process.env, PATH, ROUNDS: '1' }
    await run(program!, args, { cwd: ROOT, env })
  })

  it('is here, or installs packages of its own', () => {
    const suites = Object.entries(manifest.scripts)
      .filter(([, script]) => /node test\/(?!docs|package|shared|runtimes\/install)/.test(script))
      .map(([name]) => name)
    expect(suites.sort()).toEqual([...Object.keys(SUITES), ...INSTALLING].sort())
  })
})
