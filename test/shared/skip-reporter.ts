import type { Reporter, TestCase, Vitest } from 'vitest/node'

/** Says at the end of a run which tests were skipped on this machine, and why. */
export function skipReporter(): Reporter {
  let vitest: Vitest
  return {
    onInit(context) {
      vitest = context
    },
    onTestRunEnd(modules) {
      // With -t, all others are skipped.
      if (vitest.config.testNamePattern) return
      const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')])
      // A storage in memory proves neither that plants persist nor that instances share them.
      const tests = skipped.filter(({ name }) => !name.startsWith('NOT PROVED'))
      const byReason = Map.groupBy(tests, describeSkip)
      for (const [line, { length }] of byReason) {
        vitest.logger.log(`Skipped: ${line} (${length === 1 ? '1 test' : `${length} tests`})`)
      }
    },
  }
}

/** `test/a.test.ts, suite: reason`. With `skipIf`, there is only the title to say why. */
function describeSkip(test: TestCase): string {
  const { module, fullName, parent } = test
  const { note } = test.result() as { note?: string }
  if (note) return `${module.relativeModuleId}, ${fullName.split(' > ')[0]}: ${note}`
  return `${module.relativeModuleId}, ${parent.type === 'suite' ? parent.fullName : fullName}`
}
