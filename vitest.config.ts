import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Real engines and runtimes need their time to start, the more so on two busy cores.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
