import { kindOf } from '../lib/arguments.ts'
import { isError } from '../lib/thrown.ts'

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

/** Thrown by a test of the contract when a storage or a host breaks it. */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation'
  /** The failures of the other requests of the same test. */
  others: readonly ContractViolation[] = []
}

/** @param problem the message, or a function that makes it, where showing a call takes time */
export function assertKept(isRight: boolean, problem: string | (() => string)): asserts isRight {
  if (isRight) return
  throw new ContractViolation(typeof problem === 'string' ? problem : problem())
}

const run = Math.random().toString(36).slice(2)
let owners = 0

/** Returns the name of an owner whom no other test uses, in this run or another. */
export function freshOwner(kind = 'plain'): string {
  return `${kind}-${run}.${++owners}`
}

const MAX_SHOWN_TEXT = 60
const MAX_SHOWN_ITEMS = 5

/** Formats a value as source code, shortened, with everything beyond printable ASCII escaped. */
export function show(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'string') return showText(value)
  if (Array.isArray(value)) return showList(value)
  if (typeof value === 'function') return 'a function'
  if (isError(value) || value instanceof RegExp) return String(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${name}: ${show(member)}`)
  return members.length > 0 ? `{ ${members.join(', ')} }` : '{}'
}

function showText(text: string): string {
  if (text.length <= MAX_SHOWN_TEXT) return quoteText(text)
  return `${quoteText(text.slice(0, 20))}…${quoteText(text.slice(-20))} (length ${text.length})`
}

function quoteText(text: string): string {
  return JSON.stringify(text).replace(
    /[^ -~]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  )
}

function showList(values: unknown[]): string {
  const shown = values.slice(0, MAX_SHOWN_ITEMS).map(show)
  if (values.length > MAX_SHOWN_ITEMS) shown.push(`… (${values.length} in all)`)
  return `[${shown.join(', ')}]`
}
