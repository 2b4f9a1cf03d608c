import type { StoredPlant } from '../../../src/plant.ts'
import type { MapStorage } from '../map-storage.ts'

/** The work that every server has to do, in its own way. */

export const MAX_BODY_BYTES = 16 * 1024
export const MAX_LIMIT = 2 ** 31 - 1
export const LIMIT = /^(?:0|[1-9]\d{0,9})$/
export const CURSOR = /^[\da-f]{16}$/
/** The id in a path: a decimal in its canonical form. */
export const ID = /^(?:0|-?[1-9]\d{0,18})$/
/** A name or tag has no U+0000 and no lone surrogate. */
export const STORABLE_TEXT = '^[^\\0\\p{Surrogate}]*$'

/** The headers of every reply. */
export const EVERY_REPLY = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }
/** The header of every 401. */
export const CHALLENGE = { 'www-authenticate': 'Bearer realm="plants"' }

const owners = new Map([
  ['token-of-a-reader', 'reader'],
  ['token-of-a-writer', 'writer'],
])

const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i

/** The plant store's verifier. */
export function verify(token: string) {
  const owner = owners.get(token)
  return owner === undefined ? null : { owner }
}

/** The same for the others: returns the owner of the token in an Authorization header. */
export function ownerOf(authorization: string | null | undefined): string | undefined {
  return owners.get(BEARER.exec(authorization ?? '')?.[1] ?? '')
}

/** The id that the page after a cursor begins after. */
export function idOf(cursor: string | undefined): bigint | undefined {
  return cursor === undefined ? undefined : BigInt.asIntN(64, BigInt(`0x${cursor}`))
}

/** The first `limit` of the plants, and the Link header's value if there are more. */
export function toPage(found: readonly StoredPlant[], limit: number) {
  if (found.length <= limit || limit === 0) return { page: found.slice(0, limit) }
  const page = found.slice(0, limit)
  const cursor = BigInt.asUintN(64, page.at(-1)!.id).toString(16).padStart(16, '0')
  return { page, link: `<?limit=${limit}&cursor=${cursor}>; rel="next"` }
}

/** Reads a page for the frameworks, which have checked the query. */
export function readPage(storage: MapStorage, owner: string, limit: number, after?: bigint) {
  return toPage(storage.list(owner, { after, limit: limit + 1 }), limit)
}

/** A plant as it is sent. */
export function toPlant({ name, tag }: StoredPlant) {
  return { name, tag }
}
