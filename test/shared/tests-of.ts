import type { TestFramework } from '../../src/testing.ts'

/** A test of a contract kit. */
interface KitTest {
  /** The name of the group that it is in. */
  readonly group: string
  readonly title: string
  run(): Promise<void>
}

/** Returns the tests that a contract kit defines. */
export function testsOf(define: (framework: TestFramework) => void): KitTest[] {
  const tests: KitTest[] = []
  let group = ''
  define({
    describe(name, define) {
      group = name
      define()
    },
    it: (title, run) => tests.push({ group, title, run }),
  })
  return tests
}
