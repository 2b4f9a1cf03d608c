import { readFile } from 'node:fs/promises'
import type { StoredPlant } from '../../src/index.ts'

type Plants = Record<string, StoredPlant[]>

/**
 * Reads the plants to start with: JSON with the plants of each owner. Ids are exact.
 *
 * @throws Error that names the file, if it can't be read or isn't such JSON
 */
export async function readSeed(file: string): Promise<Plants> {
  const value = parse(file, await read(file))
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Plants
  throw new Error(
    `--seed ${file} must hold plants by owner, such as {"demo": [{"id": 7, "name": "Monstera"}]}`,
  )
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new Error(`--seed ${file} can't be read: ${(error as Error).message}`)
  }
}

function parse(file: string, text: string): unknown {
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
