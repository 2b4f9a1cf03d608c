// A custom storage: a file of JSON lines. Test it with: node --test examples/custom-storage.test.ts
// In your own project, import from 'plant-store'.

import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs'
import type { PlantStorage, StoredPlant } from '../src/index.ts'

/** Keeps the plants in memory and appends each change to a file, which is read again on the next start. */
export function jsonLinesStorage(path: string): PlantStorage {
  const owners = new Map<string, Map<bigint, StoredPlant>>()
  for (const line of readLines(path)) {
    const { owner, id, name, tag } = JSON.parse(line)
    if (name === undefined) plantsOf(owner).delete(BigInt(id))
    else plantsOf(owner).set(BigInt(id), { id: BigInt(id), name, tag })
  }

  function plantsOf(owner: string): Map<bigint, StoredPlant> {
    const plants = owners.get(owner) ?? new Map<bigint, StoredPlant>()
    owners.set(owner, plants)
    return plants
  }

  // Most parsers read JSON numbers as doubles, so the file has ids as text to keep them exact.
  function append(
    owner: string,
    id: bigint,
    plant?: { name: string; tag?: string | undefined },
  ): void {
    appendFileSync(path, `${JSON.stringify({ owner, id: String(id), ...plant })}\n`)
  }

  return {
    create(owner, { id, name, tag }) {
      if (plantsOf(owner).has(id)) return false
      append(owner, id, { name, tag })
      plantsOf(owner).set(id, { id, name, tag })
      return true
    },
    list(owner, { after, limit }) {
      return [...plantsOf(owner).values()]
        .filter(({ id }) => after === undefined || id > after)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map((plant) => ({ ...plant }))
    },
    delete(owner, id) {
      if (!plantsOf(owner).has(id)) return false
      append(owner, id)
      return plantsOf(owner).delete(id)
    },
  }
}

/** Removes a truncated last line: the process stopped while writing it, before the call returned. */
function readLines(path: string): string[] {
  if (!existsSync(path)) return []
  const file = readFileSync(path)
  const end = file.lastIndexOf('\n') + 1
  truncateSync(path, end)
  return file.toString('utf8', 0, end).split('\n').slice(0, -1)
}
