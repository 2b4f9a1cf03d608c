import { isError } from '../lib/thrown.ts'
import type { StoredPlant } from '../plant.ts'

/** Thrown by a test of the contract when a storage or a host breaks it. */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation'
  /** The failures of the other requests of the same test. */
  others: readonly ContractViolation[] = []
}

export function assertKept(isRight: boolean, problem: string): asserts isRight {
  if (!isRight) throw new ContractViolation(problem)
}

const MAX_SHOWN_TEXT = 60
const MAX_SHOWN_ITEMS = 5

/** Formats a value as source code, shortened, with everything beyond printable ASCII escaped. */
export function show(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'string') return showText(value)
  if (Array.isArray(value)) return showList(value)
  if (typeof value === 'function') return 'a function'
  if (isError(value)) return String(value)
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

/**
 * Describes the first difference between two lists of plants.
 *
 * @returns the end of a sentence such as `list(…) returned …`, or `undefined` if the lists are equal
 */
export function difference(
  plants: readonly StoredPlant[],
  expected: readonly StoredPlant[],
): string | undefined {
  for (const [index, wanted] of expected.entries()) {
    const plant = plants[index]
    if (plant && isSamePlant(plant, wanted)) continue
    const found = plant ? show(plant) : 'nothing'
    return `${count(plants)}: at index ${index}, expected ${show(wanted)}, got ${found}`
  }
  const extra = plants[expected.length]
  return extra && `${count(plants)}, expected ${expected.length}: ${show(extra)} must not be in it`
}

function count({ length }: readonly StoredPlant[]): string {
  return length === 1 ? '1 plant' : `${length} plants`
}

function isSamePlant(a: StoredPlant, b: StoredPlant): boolean {
  return a.id === b.id && a.name === b.name && a.tag === b.tag
}
