import type { PlantStorage } from '../../src/plant-storage.ts'
import { answerParent } from '../shared/answer-parent.ts'
import { importBuilt } from './own.ts'
import { addPlants, cpuOfCalls, incomingRequest } from './plants.ts'

/** A store with so many plants: growth-process.ts <memory|path of a SQLite file> <plants> */
const [place, plants] = process.argv.slice(2)
const count = Number(plants)
const storage: PlantStorage =
  place === 'memory'
    ? (await importBuilt('src/storage/memory.ts')).memoryStorage()
    : (await importBuilt('src/storage/sqlite.ts')).sqliteStorage(place!)
const { createPlantStore } = await importBuilt('src/index.ts')
const store = createPlantStore(storage, () => ({ owner: 'owner' }))
await addPlants(storage, 'owner', count)

/** The cursor behind the plant with this id. */
const cursorOf = (id: number) => id.toString(16).padStart(16, '0')

answerParent({
  /** µs of CPU for a create behind all other plants, two lists of 10 and a delete. */
  async round({ requests }: { requests: number }) {
    const ids = Array.from({ length: requests }, (_, i) => count + 1 + i)
    const bodyOf = (id: number) => `{"id":${id},"name":"Monstera ${id}","tag":"indoor"}`
    const middle = `/plants?limit=10&cursor=${cursorOf(Math.floor(count / 2))}`
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
})
