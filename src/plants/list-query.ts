import type { ErrorName } from '../errors.ts'
import { Failure } from '../http/failure.ts'

const MAX_LIMIT = 2 ** 31 - 1

/** The plants that a list asks for: at most `limit` of them (default: all), with an id > `after`. */
export interface ListQuery {
  limit?: number | undefined
  after?: bigint | undefined
}

/** Parses the query of a list, or throws a 400 Failure. */
export function parseListQuery(query: string, maxLimit?: number): ListQuery {
  const parameters = new URLSearchParams(query)
  const limit = parseLimit(readSingle(parameters, 'limit', 'invalid_limit'))
  const after = parseCursor(readSingle(parameters, 'cursor', 'invalid_cursor'))
  if (maxLimit === undefined) return { limit, after }
  return { limit: Math.min(limit ?? maxLimit, maxLimit), after }
}

function readSingle(parameters: URLSearchParams, name: string, failure: ErrorName) {
  const [value, ...more] = parameters.getAll(name)
  if (more.length > 0) throw new Failure(failure)
  return value
}

function parseLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const limit = Number(text)
  if (!/^(?:0|[1-9]\d{0,9})$/.test(text) || limit > MAX_LIMIT) throw new Failure('invalid_limit')
  return limit
}

/** Parses a cursor: the last id of the page before, as 16 hexadecimal digits in two's complement. */
function parseCursor(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined
  if (!/^[\da-f]{16}$/.test(text)) throw new Failure('invalid_cursor')
  return BigInt.asIntN(64, BigInt(`0x${text}`))
}

/** Creates the cursor of the page after this id. */
export function formatCursor(after: bigint): string {
  return BigInt.asUintN(64, after).toString(16).padStart(16, '0')
}
