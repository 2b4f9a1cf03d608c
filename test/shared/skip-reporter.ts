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
      const tests = modules.flatMap((module) => [...module.children.allTests('skipped')])
      const byReason = Map.groupBy(tests, describeSkip)
      for (const [line, { length }] of byReason) {
        vitest.logger.log(`Skipped: ${line} (${length === 1 ? '1 test' : `${length} tests`})`)
      }
    },
  }
}

/** `test/a.test.ts, suite: reason`. */
function describeSkip(test: TestCase): string {
  const { note } = test.result() as { note?: string }
  const [top] = test.fullName.split(' > ')
  return `${test.module.relativeModuleId}, ${top}${note ? `: ${note}` : ''}`
}
