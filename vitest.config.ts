import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // All cores: most tests wait for what they have started.
    maxWorkers: '100%',
    // Real engines and runtimes need their time to start, the more so on two busy cores.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
