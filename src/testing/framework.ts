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
  it(name: string, run: () => Promise<void>, timeoutMs?: number): unknown
}
