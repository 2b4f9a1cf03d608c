// Tests a correct or, with BROKEN, a broken storage in the test framework named by TEST_FRAMEWORK.

import type { PlantStorage } from '../../../src/plant-storage.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { type TestFramework, testPlantStorage } from '../../../src/testing.ts'

const { TEST_FRAMEWORK, BROKEN } = process.env

const framework: TestFramework =
  TEST_FRAMEWORK === 'Deno.test'
    ? {
        describe: (_, define) => define(),
        it: (name, run) => (globalThis as any).Deno.test(name, run),
      }
    : await import(TEST_FRAMEWORK!)

testPlantStorage(framework, (): PlantStorage => {
  const storage = memoryStorage()
  return BROKEN ? { ...storage, create: () => true } : storage
})
