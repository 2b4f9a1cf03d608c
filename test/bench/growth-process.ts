import type { PlantStorage } from '../../src/plant-storage.ts'
import { answerParent } from '../shared/answer-parent.ts'
import { importBuilt } from './own.ts'
import { cpuOfCalls, incomingRequest, plant } from './plants.ts'

/** A store with so many plants: growth-process.ts <memory|path of a SQLite file> <plants> <owners> */
const [place, plants, owners] = process.argv.slice(2)
const [plantCount, ownerCount] = [Number(plants), Number(owners)]
const storage: PlantStorage =
  place === 'memory'
    ? (await importBuilt('src/storage/memory.ts')).memoryStorage()
    : (await importBuilt('src/storage/sqlite.ts')).sqliteStorage(place!)
const { createPlantStore } = await importBuilt('src/index.ts')
const store = createPlantStore(storage, () => ({ owner: 'owner 0' }))

const ownerOf = (id: number) => `owner ${id % ownerCount}`

/** Calls the storage for each plant, many at a time, so that they may share commits. */
async function forAll(call: (id: number) => unknown): Promise<void> {
  for (let id = 1; id <= plantCount; ) {
    const batch: unknown[] = []
    for (; batch.length < 5_000 && id <= plantCount; id++) batch.push(call(id))
    await Promise.all(batch)
  }
}
const createAll = () => forAll((id) => storage.create(ownerOf(id), plant(id)))
const deleteAll = () => forAll((id) => storage.delete(ownerOf(id), BigInt(id)))

await createAll()
// Whatever the number of owners, the measured one has a page of plants.
for (let id = -20; id < 0; id++) await storage.create('owner 0', plant(id))

/** The cursor behind the plant with this id. */
const cursorOf = (id: number) => id.toString(16).padStart(16, '0')

answerParent({
  /** µs of CPU for a create behind all other plants, two lists of 10 and a delete. */
  async round({ requests }: { requests: number }) {
    const ids = Array.from({ length: requests }, (_, i) => plantCount + 1 + i)
    const bodyOf = (id: number) => `{"id":${id},"name":"Monstera ${id}","tag":"indoor"}`
    const middle = `/plants?limit=10&cursor=${cursorOf(Math.floor(plantCount / 2))}`
    const creates = ids.map((id) => incomingRequest('POST', '/plants', { body: bodyOf(id) }))
    const lists = ids.map(() => incomingRequest('GET', '/plants?limit=10'))
    const middles = ids.map(() => incomingRequest('GET', middle))
    const deletes = ids.map((id) => incomingRequest('DELETE', `/plants/${id}`))
    return {
      create: await cpuOfCalls(creates, store.handle),
      list: await cpuOfCalls(lists, store.handle),
      middle: await cpuOfCalls(middles, store.handle),
      delete: await cpuOfCalls(deletes, store.handle),
    }
  },
  /** Deletes all plants and creates them again. */
  async churn() {
    await deleteAll()
    await createAll()
  },
})
