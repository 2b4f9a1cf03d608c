/** The longest delay of a mock, in ms. */
const MAX_DELAY_MS = 60_000

/** Reads a whole number from 0 to a maximum. */
export function readWholeNumber(name: string, text: string, max: number): number {
  if (/^\d{1,10}$/.test(text) && Number(text) <= max) return Number(text)
  throw new Error(`${name} must be a whole number from 0 to ${max}, not ${JSON.stringify(text)}`)
}

/** Reads a percentage, such as `5%`, as a number from 0 to 1. */
export function readPercentage(name: string, text: string): number {
  const [, digits] = /^(\d{1,3}(?:\.\d+)?)%?$/.exec(text) ?? []
  if (digits !== undefined && Number(digits) <= 100) return Number(digits) / 100
  throw new Error(`${name} must be a percentage from 0% to 100%, not ${JSON.stringify(text)}`)
}

/** Reads a time in ms, such as `300`, or a range, such as `200-800`. */
export function readDelay(name: string, text: string): [least: number, most: number] {
  const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? []
  const [least, most] = [Number(first), Number(last)]
  if (least <= most && most <= MAX_DELAY_MS) return [least, most]
  throw new Error(
    `${name} must be a time in ms up to ${MAX_DELAY_MS}, or a range such as 200-800, not ${JSON.stringify(text)}`,
  )
}
