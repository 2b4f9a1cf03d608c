import { expect } from 'vitest'
import { StorageUnavailableError } from '../../../src/index.ts'
import type { SqliteStorage } from '../../../src/storage/sqlite.ts'

/** Creates plants of alice's, some at once, until one is refused. Returns the ids of both kinds. */
export async function createUntilFull(
  storage: SqliteStorage,
  { first = 0n, size, atOnce }: { first?: bigint; size: number; atOnce: number },
) {
  const created: bigint[] = []
  const refused: bigint[] = []
  for (let next = first; refused.length === 0; next += BigInt(atOnce)) {
    const ids = Array.from({ length: atOnce }, (_, index) => next + BigInt(index))
    const creates = ids.map(async (id) => {
      try {
        expect(await storage.create('alice', { id, name: 'x'.repeat(size) })).toBe(true)
        created.push(id)
      } catch (error) {
        expect(error).toBeInstanceOf(StorageUnavailableError)
        refused.push(id)
      }
    })
    await Promise.all(creates)
  }
  return { created, refused }
}
