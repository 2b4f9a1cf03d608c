import { testPlantAdapter } from '../../../src/testing.ts'
import { limits } from '../limits.ts'
import type { Api } from './api.ts'

/** The tests of `testPlantAdapter`, by their titles. */
export function contractOf({ url, title }: Api): Record<string, () => Promise<void>> {
  const tests: Record<string, () => Promise<void>> = {}
  let group = ''
  const framework = {
    describe(name: string, define: () => void) {
      group = name
      define()
    },
    it(title: string, run: () => Promise<void>) {
      tests[`${group}, ${title}`] = run
    },
  }
  testPlantAdapter(framework, () => ({ url }), { limits: limits[title] })
  return tests
}
