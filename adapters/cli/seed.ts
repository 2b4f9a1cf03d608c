import { readFile } from 'node:fs/promises'
import { type MemoryStorage, memoryStorage } from '../../src/storage/memory.ts'

/**
 * Creates a storage in memory with the plants of a file: JSON with the plants of each owner. Ids are exact.
 *
 * @param owners those that have a token
 * @throws Error that names the file, if it can't be read, isn't such JSON, or has plants of others only
 */
export async function seededStorage(file: string, owners: string[]): Promise<MemoryStorage> {
  const plants = parsePlants(file, await read(file))
  const storage = toStorage(file, plants)
  const seeded = Object.keys(plants)
  if (seeded.length === 0 || seeded.some((owner) => owners.includes(owner))) return storage
  throw new Error(
    `no token opens a plant of --seed ${file}: start with --token <token>=${seeded[0]}`,
  )
}

function toStorage(file: string, plants: any): MemoryStorage {
  try {
    return memoryStorage(plants)
  } catch (error) {
    // The message begins with advice for callers in TypeScript, which is left out here.
    const problem = (error as Error).message.replace(/^memoryStorage takes .*?\}: /, '')
    const form = 'plants by owner, such as {"demo": [{"id": 7, "name": "Monstera"}]}'
    throw new Error(`--seed ${file} must hold ${form}: ${problem}`)
  }
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new Error(`--seed ${file} can't be read: ${(error as Error).message}`)
  }
}

function parsePlants(file: string, text: string): any {
  try {
    return JSON.parse(text, toBigInt)
  } catch (error) {
    throw new Error(`--seed ${file} is not JSON: ${(error as Error).message}`)
  }
}

/** A reviver gets the source text of a number (ES2026), which is exact beyond 2^53. */
function toBigInt(key: string, value: unknown, context?: { source?: string }): unknown {
  if (key !== 'id' || !Number.isInteger(value)) return value
  return /^-?\d+$/.test(context?.source ?? '') ? BigInt(context!.source!) : BigInt(value as number)
}
