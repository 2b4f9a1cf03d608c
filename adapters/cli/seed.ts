import { readFile } from 'node:fs/promises'
import type { StoredPlant } from '../../src/index.ts'
import { type MemoryStorage, memoryStorage } from '../../src/storage/memory.ts'

/** Plants by owner. */
export type Seed = Readonly<Record<string, readonly StoredPlant[]>>

/**
 * Creates a storage in memory with the plants of a seed.
 *
 * @param file where the seed comes from
 * @param owners those that have a token
 * @throws Error that names the file, if the seed isn't plants by owner, or has plants of others only
 */
export function seededStorage(file: string, seed: Seed, owners: string[]): MemoryStorage {
  const storage = toStorage(file, seed)
  const seeded = Object.keys(seed)
  if (seeded.length === 0 || seeded.some((owner) => owners.includes(owner))) return storage
  throw new Error(
    `no token opens a plant of --seed ${file}: start with --token <token>=${seeded[0]}`,
  )
}

/** Takes an owner's plants back to those of the seed. */
export function resetOwner(storage: MemoryStorage, owner: string, seed: Seed): void {
  for (const { id } of storage.list(owner, { limit: Number.MAX_SAFE_INTEGER })) {
    storage.delete(owner, id)
  }
  const plants = Object.hasOwn(seed, owner) ? seed[owner]! : []
  for (const plant of plants) storage.create(owner, plant)
}

/**
 * Reads a file of plants by owner: JSON, with exact ids.
 *
 * @throws (rejects with) Error that names the file, if it can't be read or isn't JSON
 */
export async function readSeed(file: string): Promise<Seed> {
  const text = await readFile(file, 'utf8').catch((error) => {
    throw new Error(`--seed ${file} can't be read: ${(error as Error).message}`)
  })
  try {
    return JSON.parse(text, toBigInt)
  } catch (error) {
    throw new Error(`--seed ${file} is not JSON: ${(error as Error).message}`)
  }
}

function toStorage(file: string, seed: Seed): MemoryStorage {
  try {
    return memoryStorage(seed)
  } catch (error) {
    // The message begins with advice for callers in TypeScript, which is left out here.
    const problem = (error as Error).message.replace(/^memoryStorage takes .*?\}: /, '')
    const form = 'plants by owner, such as {"demo": [{"id": 7, "name": "Monstera"}]}'
    throw new Error(`--seed ${file} must hold ${form}: ${problem}`)
  }
}

/** A reviver gets the source text of a number (ES2026), which is exact beyond 2^53. */
function toBigInt(key: string, value: unknown, context?: { source?: string }): unknown {
  if (key !== 'id' || !Number.isInteger(value)) return value
  return /^-?\d+$/.test(context?.source ?? '') ? BigInt(context!.source!) : BigInt(value as number)
}
