import { toWorker } from '../../../adapters/workers.ts'
import { createPlantStore } from '../../../src/plant-store.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { bareFetch } from './by-hand.ts'
import { verify } from './contract.ts'

/** The Workers that are measured on workerd. */

export const bare = { fetch: bareFetch(memoryStorage()) }
export const plantStore = toWorker(() => createPlantStore(memoryStorage(), verify))

const largeName = new Uint8Array(16_300).fill(0x78)
/** 1 000 of the largest plants, each with its own text, as a database returns them. */
export const largePlants = toWorker(() =>
  createPlantStore(
    {
      ...memoryStorage(),
      list(_owner, { after = 0n, limit }) {
        const length = Math.min(limit, 1000 - Number(after))
        return Array.from({ length }, (_, i) => {
          return { id: after + BigInt(i + 1), name: new TextDecoder().decode(largeName) }
        })
      },
    },
    verify,
  ),
)
