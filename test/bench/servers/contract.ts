import { type ErrorName, errors } from '../../../src/errors.ts'
import type { StoredPlant } from '../../../src/plant.ts'

/** What the floor and the peers share with the plant store: not how they work, but what is asked of them. */

/** Whose token it is. Every server, the plant store too, looks tokens up here. */
export const owners = new Map([
  ['token-of-a-reader', 'reader'],
  ['token-of-a-writer', 'writer'],
])

export const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i
export const MAX_BODY_BYTES = 1024 * 1024
export const MAX_LIMIT = 2 ** 31 - 1

/** No U+0000 and no lone surrogate in names and tags. */
export const STORABLE_TEXT = '^[^\\0\\p{Surrogate}]*$'

/** The headers of every reply. */
export const EVERY_REPLY = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }

export function errorBody(name: ErrorName, message: string = errors[name].message) {
  return { error: errors[name].error, message }
}

export function statusOf(name: ErrorName) {
  return errors[name].status
}

/** The Link header's value for the page after this one. */
export function nextLink(limit: number, page: StoredPlant[]): string {
  const cursor = BigInt.asUintN(64, page.at(-1)!.id).toString(16).padStart(16, '0')
  return `<?limit=${limit}&cursor=${cursor}>; rel="next"`
}

/** What a cursor looks like. */
export const CURSOR = /^[\da-f]{16}$/

/** The id that the page after a cursor begins after. */
export function idOf(cursor: string | undefined): bigint | undefined {
  return cursor === undefined ? undefined : BigInt.asIntN(64, BigInt(`0x${cursor}`))
}

/** A failure on its way to an error handler. */
export class ContractError extends Error {
  readonly errorName: ErrorName

  constructor(errorName: ErrorName, message?: string) {
    super(message ?? errors[errorName].message)
    this.errorName = errorName
  }
}
