import { defineConfig } from 'vitest/config'

// The tests that run the code in their own process: Stryker changes it there, not in processes that the tests start
// (the command, serve on Bun and Deno, D1 and Durable Objects in workerd).
export default defineConfig({
  test: {
    include: [
      'test/src/**/*.test.ts',
      'test/security/*.test.ts',
      'test/adapters/{express,fastify,mounts,workers,wrong-store}.test.ts',
      'test/adapters/node/*.test.ts',
      'test/faults/sqlite/*.test.ts',
    ],
    exclude: [],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    isolate: false,
  },
})
