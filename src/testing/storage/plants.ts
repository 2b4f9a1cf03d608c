import type { StoredPlant } from '../../index.ts'
import { INT64_MAX, INT64_MIN } from '../../lib/int64.ts'

const run = Math.random().toString(36).slice(2, 10)
let owners = 0

/**
 * Returns an owner whom no other test uses, in this run or another, so that the plants that are in the storage disturb no
 * test. The name says where plants come from that a run has left behind because it was killed.
 */
export function newOwner(name = 'alice'): string {
  return `test-${run}.${++owners}-${name}`
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
