import { beforeEach } from 'vitest'

// Vitest counts its workers from 1. Playwright counts from 0, in TEST_PARALLEL_INDEX.
const authorization = `Bearer w${process.env.VITEST_POOL_ID}`
beforeEach(async () => {
  await fetch('http://127.0.0.1:3000/mock/reset', { method: 'POST', headers: { authorization } })
})
