// Runs the tests that may depend on the version of Node on the other versions: npm run test:nodes
// On one of them: npm run test:nodes -- 26
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import nodes from './nodes/package.json' with { type: 'json' }
import { ROOT } from './program.ts'

const TESTS = ['test/src', 'test/adapters/node', 'test/faults', 'test/package/bin.test.ts']
const ALIKE_ON_ALL = [
  // They run in workerd.
  '**/{d1,durable-objects}*',
  // They test a JSON document, and the checks that tests use.
  'test/src/{openapi,testing}{*,/**}',
  'test/faults/{history,load}.test.ts',
]

const [only] = process.argv.slice(2)
const names = Object.keys(nodes.optionalDependencies)
const chosen = only ? names.filter((name) => name === `node${only}`) : names
if (chosen.length === 0) {
  throw new Error(`There is no node${only} in test/runtimes/nodes; there are ${names.join(', ')}`)
}
for (const name of chosen) {
  const program = join(import.meta.dirname, 'nodes/node_modules', name, 'bin/node')
  const path = process.platform === 'win32' ? `${program}.exe` : program
  if (!existsSync(path)) {
    console.warn(`The tests on ${name} are skipped: npm has none for this machine`)
    continue
  }
  const exclude = ALIKE_ON_ALL.flatMap((pattern) => ['--exclude', pattern])
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const { status } = spawnSync(path, [vitest, 'run', ...TESTS, ...exclude], {
    cwd: ROOT,
    stdio: 'inherit',
    // Node 22 warns of its SQLite in every process.
    env: { ...process.env, NODE_OPTIONS: '--disable-warning=ExperimentalWarning' },
  })
  if (status !== 0) process.exitCode = 1
}
