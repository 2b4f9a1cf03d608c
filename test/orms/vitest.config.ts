import { defineConfig } from 'vitest/config'

// Not *.test.ts, which `npm test` runs: what these need is only installed by `npm run test:orms`.
export default defineConfig({
  test: { include: ['test/orms/*.orms.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
})
