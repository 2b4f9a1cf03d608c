import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { skipReporter } from './test/shared/skip-reporter.ts'

// The processes that the tests start compile and strip the same files again and again.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node')

/** What may depend on the version of Node: neither what runs in workerd nor the tests of documents and of the kits. */
const ON_EACH_NODE = {
  include: [
    'test/{src,adapters/node,faults}/**/*.test.ts',
    'test/{adapters/mounts,package/bin}.test.ts',
  ],
  exclude: ['**/{d1,durable-objects}*', 'test/src/{openapi,testing}{*,/**}'],
}

export default defineConfig(({ mode }) => {
  const isNightly = mode === 'nightly'
  // Node 22 warns of its SQLite in every process.
  if (mode === 'nodes') process.env.NODE_OPTIONS = '--disable-warning=ExperimentalWarning'
  return {
    test: {
      include: mode === 'nodes' ? ON_EACH_NODE.include : ['test/**/*.test.ts'],
      exclude: [
        ...configDefaults.exclude,
        ...(isNightly ? [] : ['test/**/*.nightly.test.ts']),
        ...(mode === 'nodes' ? ON_EACH_NODE.exclude : []),
      ],
      provide: { isNightly },
      reporters: ['default', skipReporter()],
      // A process of its own for each of 130 files takes 35 s of CPU time more.
      isolate: false,
      setupFiles: ['test/shared/own-modules.ts'],
      // More than there are cores: most tests wait for what they have started.
      maxWorkers: availableParallelism() + 2,
      // Real engines and runtimes need their time to start, the more so on two busy cores.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 10_000 } },
    },
  }
})
