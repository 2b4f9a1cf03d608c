import type { PlantStorage, StoredPlant } from '../../../src/index.ts'

/** A storage that has this many plants without keeping any, and counts how often it is read. */
export function longList(count: number, name = 'Monstera deliciosa') {
  const storage = {
    reads: 0,
    create: () => false,
    delete: () => false,
    list(_owner, { after = 0n, limit }): StoredPlant[] | Promise<StoredPlant[]> {
      storage.reads++
      const length = Math.min(limit, count - Number(after))
      return Array.from({ length }, (_, index) => ({ id: after + BigInt(index + 1), name }))
    },
  } satisfies PlantStorage & { reads: number }
  return storage
}
