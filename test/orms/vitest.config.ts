import { defineConfig } from 'vitest/config'

// Not *.test.ts, which `npm test` runs: what these need is only installed by `npm run test:orms`.
export default defineConfig({
  test: {
    // mariadb 3.4, which Prisma brings, rejects a promise of its own when a pool with dead connections is closed.
    onUnhandledError: (error) => (error as { fatal?: boolean }).fatal !== true,
    include: ['test/orms/*.orms.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
