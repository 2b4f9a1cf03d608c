import { importBuilt } from './own.ts'
import { addPlants, cpuOfCalls, incomingRequest } from './plants.ts'
import { answerParent } from './processes.ts'

/** A store with so many plants: growth-process.ts <memory|path of a SQLite file> <plants> */
const [place, plants] = process.argv.slice(2)
const count = Number(plants)
const storage =
  place === 'memory'
    ? (await importBuilt('src/storage/memory.ts')).memoryStorage()
    : (await importBuilt('src/storage/sqlite.ts')).sqliteStorage(place!)
const { createPlantStore } = await importBuilt('src/index.ts')
const store = createPlantStore(storage, () => ({ owner: 'writer' }))
await addPlants(storage, 'writer', count)

answerParent({
  /** µs of CPU for a create behind all other plants, a list of 10 and a delete. */
  async round({ requests }: { requests: number }) {
    const ids = Array.from({ length: requests }, (_, i) => count + 1 + i)
    const bodyOf = (id: number) => `{"id":${id},"name":"Monstera ${id}","tag":"indoor"}`
    const creates = ids.map((id) => incomingRequest('POST', '/plants', { body: bodyOf(id) }))
    const lists = ids.map(() => incomingRequest('GET', '/plants?limit=10'))
    const deletes = ids.map((id) => incomingRequest('DELETE', `/plants/${id}`))
    return {
      create: await cpuOfCalls(creates, store.handle),
      list: await cpuOfCalls(lists, store.handle),
      delete: await cpuOfCalls(deletes, store.handle),
    }
  },
})
