import type { StoredPlant } from '../plant.ts'

/** What a storage did that its contract doesn't allow. */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation'
}

const MAX_SHOWN = 60

/** Writes a value as source code would, shortened, and with all that ASCII lacks escaped. */
export function show(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'string') return showText(value)
  if (Array.isArray(value)) return showList(value)
  if (typeof value === 'function') return 'a function'
  if (value instanceof Error) return String(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${name}: ${show(member)}`)
  return members.length > 0 ? `{ ${members.join(', ')} }` : '{}'
}

function showText(text: string): string {
  if (text.length <= MAX_SHOWN) return quote(text)
  return `${quote(text.slice(0, 20))}…${quote(text.slice(-20))} (length ${text.length})`
}

function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[^ -~]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  )
}

function showList(values: unknown[]): string {
  const shown = values.slice(0, 5).map(show)
  if (values.length > 5) shown.push(`… (${values.length} in all)`)
  return `[${shown.join(', ')}]`
}

/** Tells how a list of plants differs from the one that was due, or `undefined` if it doesn't. */
export function difference(
  plants: readonly StoredPlant[],
  due: readonly StoredPlant[],
): string | undefined {
  for (const [index, expected] of due.entries()) {
    const plant = plants[index]
    if (plant && samePlant(plant, expected)) continue
    const found = plant ? show(plant) : 'nothing'
    return `${count(plants)}, and at position ${index} there was ${found}, not ${show(expected)}`
  }
  const extra = plants[due.length]
  return extra && `${count(plants)}, not ${due.length}: ${show(extra)} was not due`
}

function count({ length }: readonly StoredPlant[]): string {
  return length === 1 ? '1 plant' : `${length} plants`
}

function samePlant(a: StoredPlant, b: StoredPlant): boolean {
  return a.id === b.id && a.name === b.name && a.tag === b.tag
}
