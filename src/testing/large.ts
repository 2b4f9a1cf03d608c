import { atOnce } from './at-once.ts'
import { newOwner } from './new-owner.ts'
import { type ContractTests, plantOf } from './storage-under-test.ts'

const PAGE_PLANT_LENGTH = 100_000
// More than a database may put into one response: 1 MiB in DynamoDB, 4 MiB in gRPC by default.
const PAGE_LENGTH = 4_400_000

/** The tests whose plants are as large as a body of `maxBodyBytes` can hold. */
export function largePlants(maxBodyBytes: number): ContractTests {
  // Room for the braces, the member names, the id and a short tag.
  const room = maxBodyBytes - 100

  return {
    'only the last page may be short, even if the plants are large': async (storage) => {
      const length = Math.min(PAGE_PLANT_LENGTH, room)
      const count = Math.ceil(PAGE_LENGTH / length)
      const plants = Array.from({ length: count }, (_, index) => ({
        id: BigInt(index),
        name: repeat(`${index} `, length),
      }))
      const alice = newOwner()
      await atOnce(plants, (plant) => storage.mustCreate(alice, plant))
      await storage.mustList(alice, { limit: count }, plants)
      await storage.mustList(alice, { after: 0n, limit: count - 2 }, plants.slice(1, -1))
    },

    [`names and tags that fill a body of ${maxBodyBytes} bytes are returned whole`]: async (
      storage,
    ) => {
      // One byte in front, so that some character straddles every power-of-two boundary.
      const plants = [
        { id: 1n, name: repeat('a', room) },
        { id: 2n, name: `a${repeat('\u{1f335}', room / 2)}` },
        { ...plantOf(3n), tag: `a${repeat('\u20ac', room / 3)}` },
        { id: 4n, name: repeat('a', room / 2), tag: repeat('b', room / 2) },
      ]
      const alice = newOwner()
      await storage.mustCreate(alice, ...plants)
      await storage.reopen()
      for (const plant of plants) {
        await storage.mustList(alice, { after: plant.id - 1n, limit: 1 }, [plant])
      }
    },
  }
}

/** Repeats a text of one or more characters, whole, up to this length. */
function repeat(text: string, length: number): string {
  return text.repeat(Math.floor(length / text.length))
}
