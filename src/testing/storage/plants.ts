import type { StoredPlant } from '../../index.ts'
import { INT64_MAX, INT64_MIN } from '../../lib/int64.ts'
import { freshOwner } from '../framework.ts'

/** Returns an owner without plants. The name says where plants come from that a killed run has left behind. */
export function newOwner(): string {
  return `${freshOwner('test')}-alice`
}

/** Makes a plant without a tag. */
export function plantOf(id: bigint, name = `plant ${id}`): StoredPlant {
  return { id, name }
}

export function numbered<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index))
}

/** Ids that a double, int32 or uint64 can't hold exactly, or that sort differently as text, lie around these. */
const BOUNDARIES = [
  ...[0n, 10n, 100n, 10n ** 15n, 10n ** 18n],
  ...[7n, 8n, 15n, 16n, 24n, 31n, 32n, 48n, 53n, 62n].map((bits) => 2n ** bits),
]
const around = BOUNDARIES.flatMap((id) => [id - 1n, id, id + 1n])

/** The ids around the boundaries, and the smallest and greatest ones, ascending. */
export const edgeCaseIds = [
  ...[INT64_MIN, INT64_MIN + 1n, INT64_MIN + 1024n, INT64_MAX - 1024n, INT64_MAX - 1n, INT64_MAX],
  ...new Set([...around, ...around.map((id) => -id)]),
].sort((a, b) => (a < b ? -1 : 1))
