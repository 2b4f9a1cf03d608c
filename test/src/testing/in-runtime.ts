// Tests the host at HOST_URL, or a correct or, with BROKEN, a broken storage, in the test framework named by
// TEST_FRAMEWORK.

import { memoryStorage } from '../../../src/storage/memory.ts'
import { type TestFramework, testPlantAdapter, testPlantStorage } from '../../../src/testing.ts'

const { TEST_FRAMEWORK, HOST_URL, BROKEN } = process.env

const framework: TestFramework =
  TEST_FRAMEWORK === 'Deno.test'
    ? {
        describe: (_, define) => define(),
        it: (name, run) => (globalThis as any).Deno.test(name, run),
      }
    : await import(TEST_FRAMEWORK!)

if (HOST_URL) testPlantAdapter(framework, () => ({ url: HOST_URL }))
else {
  testPlantStorage(framework, () => ({
    ...memoryStorage(),
    ...(BROKEN && { create: () => true }),
  }))
}
