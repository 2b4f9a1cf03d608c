import type { ErrorName } from '../errors.ts'
import { Failure } from '../http/failure.ts'
import type { StoredPlant } from '../plant.ts'

const MAX_LIMIT = 2 ** 31 - 1

/** The plants that a list asks for: at most `limit` of them (default: all), with an id > `after`. */
export interface ListQuery {
  limit?: number | undefined
  after?: bigint | undefined
}

/** Parses the query of a list, or throws a 400 Failure. */
export function parseListQuery(query: string, maxLimit = Number.POSITIVE_INFINITY): ListQuery {
  const parameters = readParameters(query)
  const limit = Math.min(parseLimit(parameters.limit) ?? maxLimit, maxLimit)
  return {
    limit: limit === Number.POSITIVE_INFINITY ? undefined : limit,
    after: parseCursor(parameters.cursor),
  }
}

// The query as `nextLinkHeader` writes it. It needs no decoding. URLSearchParams takes 0.3 µs more of the 2.3 µs
// of a list of 10 in `handle` (20 000 calls in a loop).
const PLAIN_QUERY = /^limit=(\d+)(?:&cursor=([\da-f]+))?$/

function readParameters(query: string): { limit?: string; cursor?: string } {
  if (query === '') return {}
  const plain = PLAIN_QUERY.exec(query)
  if (plain) return { limit: plain[1], cursor: plain[2] }
  const parameters = new URLSearchParams(query)
  return {
    limit: readSingle(parameters, 'limit', 'invalid_limit'),
    cursor: readSingle(parameters, 'cursor', 'invalid_cursor'),
  }
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

/** A cursor is the last id of the page before, as 16 hexadecimal digits in two's complement. */
function parseCursor(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined
  if (!/^[\da-f]{16}$/.test(text)) throw new Failure('invalid_cursor')
  return BigInt.asIntN(64, BigInt(`0x${text}`))
}

function formatCursor(after: bigint): string {
  return BigInt.asUintN(64, after).toString(16).padStart(16, '0')
}

/**
 * The Link header to the next page (RFC 8288). A query-only reference (RFC 3986, section 4.2) is right under
 * every mount path and behind every proxy.
 */
export function nextLinkHeader(limit: number, { id }: StoredPlant): Record<string, string> {
  return { link: `<?limit=${limit}&cursor=${formatCursor(id)}>; rel="next"` }
}
