import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { skipReporter } from './test/shared/skip-reporter.ts'

export default defineConfig(({ mode }) => {
  const isNightly = mode === 'nightly'
  return {
    test: {
      include: ['test/**/*.test.ts'],
      exclude: [...configDefaults.exclude, ...(isNightly ? [] : ['test/**/*.nightly.test.ts'])],
      provide: { isNightly },
      reporters: ['default', skipReporter()],
      // More than there are cores: most tests wait for what they have started.
      maxWorkers: availableParallelism() + 2,
      // Real engines and runtimes need their time to start, the more so on two busy cores.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 10_000 } },
    },
  }
})
