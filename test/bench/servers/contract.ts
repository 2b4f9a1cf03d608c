import * as z from 'zod'
import type { StoredPlant } from '../../../src/plant.ts'
import type { MemoryStorage } from '../../../src/storage/memory.ts'

/**
 * The work that every server has to do, in its own way. Each list that is measured has a limit, and
 * none has a cursor.
 */

export const MAX_BODY_BYTES = 16 * 1024
export const LIMIT = /^(?:0|[1-9]\d{0,8})$/
/** The id in a path: a decimal in its canonical form. */
export const ID = /^(?:0|-?[1-9]\d{0,17})$/
/** A name or tag has no U+0000 and no lone surrogate. */
export const STORABLE_TEXT = '^[^\\0\\p{Surrogate}]*$'

/** The headers of every reply. */
export const EVERY_REPLY = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }
/** The header of every 401. */
export const CHALLENGE = { 'www-authenticate': 'Bearer realm="plants"' }

/** By token. */
export const owners = new Map([
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

/** The first `limit` of the plants, and the Link header's value if there are more. */
export function toPage(found: readonly StoredPlant[], limit: number) {
  const page = found.slice(0, limit)
  if (found.length <= limit || limit === 0) return { page }
  const cursor = BigInt.asUintN(64, page.at(-1)!.id).toString(16).padStart(16, '0')
  return { page, link: `<?limit=${limit}&cursor=${cursor}>; rel="next"` }
}

/** Reads a page for the frameworks, which have checked the query. */
export function readPage(storage: MemoryStorage, owner: string, limit: number) {
  return toPage(storage.list(owner, { limit: limit + 1 }), limit)
}

/** A plant as it is sent. */
export const toPlant = ({ name, tag }: StoredPlant) => ({ name, tag })

const text = z.string().regex(new RegExp(STORABLE_TEXT, 'u'))

/** A NewPlant for the frameworks whose JSON parsers make doubles. */
export const NewPlant = z.object({ id: z.int(), name: text, tag: text.optional() })
export const Plant = z.object({ name: z.string(), tag: z.string().optional() })

/** The query of a list. */
export const ListQuery = z.object({ limit: z.string().regex(LIMIT).transform(Number) })

/** The parameters in the path of a delete. */
export const PlantPath = z.object({ id: z.string().regex(ID).transform(BigInt) })
