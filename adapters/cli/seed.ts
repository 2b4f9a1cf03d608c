import { readFile } from 'node:fs/promises'
import type { StoredPlant } from '../../src/index.ts'
import { parseWithExactId } from '../../src/plants/new-plant.ts'
import { type MemoryStorage, memoryStorage } from '../../src/storage/memory.ts'

/** Plants by owner. */
type Seed = Readonly<Record<string, readonly StoredPlant[]>>

/**
 * Creates a storage in memory with the plants of a file: JSON by owner, with exact ids. Its `reset` takes an owner's plants
 * back to those of the file.
 *
 * @param file empty without it
 * @param owners those that have a token
 * @throws (rejects with) Error that names the file, if it can't be read or has no plants for these owners
 */
export async function seededStorage(file: string | undefined, owners: string[]) {
  try {
    const text = file === undefined ? '{}' : await readFile(file, 'utf8')
    const seed: Seed = JSON.parse(text, toExactId)
    const storage = memoryStorage(seed)
    const seeded = Object.keys(seed)
    if (seeded.length > 0 && !seeded.some((owner) => owners.includes(owner))) {
      throw new Error(`no token opens its plants, so pass --token <token>=${seeded[0]}`)
    }
    return { ...storage, reset: (owner: string) => resetOwner(storage, owner, seed) }
  } catch (error) {
    // The message of memoryStorage has an example in TypeScript.
    const problem = (error as Error).message.replace(/^memoryStorage takes .*?\}: /, '')
    const form = '{"demo": [{"id": 7, "name": "Monstera"}]}'
    throw new Error(`--seed ${file}: ${problem}. It must hold plants by owner, like ${form}`)
  }
}

/** A reviver gets the source text of a number (ES2026). */
function toExactId(key: string, value: unknown, context?: { source?: string }): unknown {
  if (key !== 'id' || typeof value !== 'number') return value
  return (parseWithExactId(`{"id":${context?.source ?? value}}`) as { id: unknown }).id
}

function resetOwner(storage: MemoryStorage, owner: string, seed: Seed): void {
  for (const { id } of storage.list(owner, { limit: Number.MAX_SAFE_INTEGER })) {
    storage.delete(owner, id)
  }
  for (const plant of Object.hasOwn(seed, owner) ? seed[owner]! : []) storage.create(owner, plant)
}
