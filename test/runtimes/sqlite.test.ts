import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { onThisMachine, tested } from './hosts.ts'
import { PATH, ROOT } from './program.ts'

const runtimes = onThisMachine({
  'Node 22': 'test/runtimes/nodes/node_modules/node22/bin/node',
  'Node 24': 'node',
  'Node 26': 'test/runtimes/nodes/node_modules/node26/bin/node',
  Bun: 'bun',
  Deno: 'deno run -A',
})

describe.concurrent.each(tested(runtimes))('sqliteStorage, in %s', (_name, runtime) => {
  it('keeps the contract of PlantStorage', async () => {
    const [program, ...args] = `${runtime} test/runtimes/entries/sqlite.ts`.split(' ')
    const { stdout } = await promisify(execFile)(program!, args, {
      cwd: ROOT,
      env: { ...process.env, PATH },
    })
    const results = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(results.filter(({ problem }) => problem !== null)).toEqual([])
    expect(results.length).toBeGreaterThan(20)
  })
})
