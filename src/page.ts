import { Failure } from './failure.ts'
import type { StoredPlant } from './plant.ts'

const MAX_LIMIT = 2 ** 31 - 1

/** What part of a list is asked for: at most `limit` plants (no limit: all) with id > `after`. */
export interface Page {
  limit?: number
  after?: bigint
}

/** Reads the query of a list, or throws the Failure that says what is wrong with it. */
export function readPage(query: string, maxLimit = Number.POSITIVE_INFINITY): Page {
  const { limits, cursors } = readParameters(query)
  const limit = Math.min(readLimit(limits) ?? maxLimit, maxLimit)
  return {
    limit: limit === Number.POSITIVE_INFINITY ? undefined : limit,
    after: readCursor(cursors),
  }
}

// As `link` writes it. Nothing in it needs the decoding that makes URLSearchParams slow.
const PLAIN_QUERY = /^limit=(\d+)(?:&cursor=([\da-f]+))?$/

function readParameters(query: string): { limits: string[]; cursors: string[] } {
  if (query === '') return { limits: [], cursors: [] }
  const [, limit, cursor] = PLAIN_QUERY.exec(query) ?? []
  if (limit !== undefined) return { limits: [limit], cursors: cursor === undefined ? [] : [cursor] }
  const parameters = new URLSearchParams(query)
  return { limits: parameters.getAll('limit'), cursors: parameters.getAll('cursor') }
}

function readLimit([text, ...more]: string[]): number | undefined {
  if (text === undefined) return undefined
  if (!/^(?:0|[1-9]\d{0,9})$/.test(text) || Number(text) > MAX_LIMIT || more.length > 0) {
    throw new Failure('invalid_limit')
  }
  return Number(text)
}

/** A cursor is the id it goes on after, as the sixteen hexadecimal digits of its two's complement. */
function readCursor([text, ...more]: string[]): bigint | undefined {
  if (text === undefined) return undefined
  if (!/^[\da-f]{16}$/.test(text) || more.length > 0) throw new Failure('invalid_cursor')
  return BigInt.asIntN(64, BigInt(`0x${text}`))
}

function writeCursor(after: bigint): string {
  return BigInt.asUintN(64, after).toString(16).padStart(16, '0')
}

/** A query alone is a relative reference (RFC 3986, section 4.2): right under every mount path and proxy. */
export function link(limit: number, { id }: StoredPlant): Record<string, string> {
  return { link: `<?limit=${limit}&cursor=${writeCursor(id)}>; rel="next"` }
}
