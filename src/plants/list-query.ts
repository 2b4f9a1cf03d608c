import type { ErrorName } from '../errors.ts'
import { Failure } from '../http/failure.ts'
import type { StoredPlant } from '../plant.ts'

const MAX_LIMIT = 2 ** 31 - 1

/** What part of a list is asked for: at most `limit` plants (no limit: all) with id > `after`. */
export interface Page {
  limit?: number
  after?: bigint
}

/** Reads the query of a list, or throws the Failure that says what is wrong with it. */
export function readPage(query: string, maxLimit = Number.POSITIVE_INFINITY): Page {
  const parameters = readParameters(query)
  const limit = Math.min(readLimit(parameters.limit) ?? maxLimit, maxLimit)
  return {
    limit: limit === Number.POSITIVE_INFINITY ? undefined : limit,
    after: readCursor(parameters.cursor),
  }
}

// As `link` writes it. Nothing in it needs the decoding that makes URLSearchParams slow.
const PLAIN_QUERY = /^limit=(\d+)(?:&cursor=([\da-f]+))?$/

function readParameters(query: string): { limit?: string; cursor?: string } {
  if (query === '') return {}
  const plain = PLAIN_QUERY.exec(query)
  if (plain) return { limit: plain[1], cursor: plain[2] }
  const parameters = new URLSearchParams(query)
  return {
    limit: readSole(parameters, 'limit', 'invalid_limit'),
    cursor: readSole(parameters, 'cursor', 'invalid_cursor'),
  }
}

function readSole(parameters: URLSearchParams, name: string, failure: ErrorName) {
  const [value, ...more] = parameters.getAll(name)
  if (more.length > 0) throw new Failure(failure)
  return value
}

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const limit = Number(text)
  if (!/^(?:0|[1-9]\d{0,9})$/.test(text) || limit > MAX_LIMIT) throw new Failure('invalid_limit')
  return limit
}

/** A cursor is the id it goes on after, as the sixteen hexadecimal digits of its two's complement. */
function readCursor(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined
  if (!/^[\da-f]{16}$/.test(text)) throw new Failure('invalid_cursor')
  return BigInt.asIntN(64, BigInt(`0x${text}`))
}

function writeCursor(after: bigint): string {
  return BigInt.asUintN(64, after).toString(16).padStart(16, '0')
}

/** A query alone is a relative reference (RFC 3986, section 4.2): right under every mount path and proxy. */
export function link(limit: number, { id }: StoredPlant): Record<string, string> {
  return { link: `<?limit=${limit}&cursor=${writeCursor(id)}>; rel="next"` }
}
