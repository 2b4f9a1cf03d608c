import { kindOf } from '../lib/arguments.ts'

/**
 * The functions of a test framework that `testPlantStorage` and `testPlantAdapter` call. Vitest, Jest,
 * `node:test` (under Node, Bun and Deno) and `bun:test` have both.
 *
 * @example Deno's own test runner
 * ```ts
 * const framework: TestFramework = {
 *   describe: (_, define) => define(),
 *   it: (name, run) => Deno.test(name, run),
 * }
 * testPlantStorage(framework, () => myStorage())
 * ```
 */
export interface TestFramework {
  /** Groups the tests that `define` defines. */
  describe(name: string, define: () => void): unknown
  /** Defines a test. `timeoutMs` is its time limit, for frameworks that take one here. */
  readonly it: {
    (name: string, run: () => Promise<void>, timeoutMs?: number): unknown
    /** Defines a test that is not run, for what is not proved. Without `skip`, such a test passes. */
    skip?(name: string, run: () => Promise<void>): unknown
  }
}

/** Throws unless the arguments of a contract kit, by their names, are functions. */
export function assertTestFunctions(usage: string, values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'function') continue
    throw new TypeError(`${usage} takes functions; got ${kindOf(value)} as ${name}`)
  }
}
