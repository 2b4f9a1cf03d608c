import type { ErrorName } from '../errors.ts'
import { Failure } from '../http/failure.ts'

const MAX_LIMIT = 2 ** 31 - 1

/** The plants that a list asks for: at most `limit` of them (default: all), with an id > `after`. */
export interface ListQuery extends Cursor {
  limit?: number | undefined
}

interface Cursor {
  after?: bigint | undefined
  /** How many plants there were in the response before, if more would have made it too large. */
  fitting?: number | undefined
}

/** Parses the query of a list, or throws a 400 Failure. */
export function parseListQuery(query: string, maxLimit?: number): ListQuery {
  const parameters = new URLSearchParams(query)
  const limit = parseLimit(readSingle(parameters, 'limit', 'invalid_limit'))
  const cursor = parseCursor(readSingle(parameters, 'cursor', 'invalid_cursor'))
  if (maxLimit === undefined) return { limit, ...cursor }
  return { limit: Math.min(limit ?? maxLimit, maxLimit), ...cursor }
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

const CURSOR = /^([\da-f]{16})(?:-(\d{1,9}))?$/

/** Parses a cursor: the last id of the page before, as 16 hexadecimal digits in two's complement, and `fitting`. */
function parseCursor(text: string | undefined): Cursor {
  if (text === undefined) return {}
  const [, id, fitting] = CURSOR.exec(text) ?? []
  if (id === undefined) throw new Failure('invalid_cursor')
  return {
    after: BigInt.asIntN(64, BigInt(`0x${id}`)),
    fitting: fitting === undefined ? undefined : Number(fitting),
  }
}

/** Creates the cursor of the page after this id. */
export function formatCursor(after: bigint, fitting?: number): string {
  const id = BigInt.asUintN(64, after).toString(16).padStart(16, '0')
  return fitting === undefined ? id : `${id}-${fitting}`
}
