import type { IncomingRequest } from '../../src/incoming-request.ts'
import { memory } from './memory.ts'
import { importCore, importMemory, importSqlite } from './own.ts'
import { answerParent } from './processes.ts'

/** A store with so many plants: node growth-process.ts <memory|path of a SQLite file> <plants> */
const [place, plants] = process.argv.slice(2)
const count = Number(plants)
// Even ids are there; odd ones come and go.
const STEP = 2

const empty = memory.heap()
const { createPlantStore } = await importCore()
const storage =
  place === 'memory'
    ? (await importMemory()).memoryStorage()
    : (await importSqlite()).sqliteStorage(place!)
const store = createPlantStore(storage, (_token) => ({ owner: 'writer' }))
for (let id = 1; id <= count; ) {
  const batch: unknown[] = []
  for (; batch.length < 5_000 && id <= count; id++) {
    batch.push(
      storage.create('writer', { id: BigInt(id * STEP), name: `Monstera ${id}`, tag: 'indoor' }),
    )
  }
  await Promise.all(batch)
}
const bytesPerPlant = ((memory.heap() - empty) * 2 ** 20) / count

const headers = new Map([
  ['authorization', 'Bearer t'],
  ['content-type', 'application/json'],
])

/** What an adapter hands over: as little as can be besides the store's own work. */
function request(method: string, url: string, body = ''): IncomingRequest {
  return {
    method,
    url,
    headers: { get: (name) => headers.get(name) ?? null },
    readBody: async () => body,
    toRequest: () => new Request(`http://localhost${url}`, { method }),
  }
}

/** Ids to create and delete again: behind all others, or anywhere among them. */
function ids(where: 'end' | 'anywhere', requests: number): number[] {
  return Array.from({ length: requests }, (_, i) =>
    where === 'end' ? (count + i) * STEP + 1 : Math.floor(Math.random() * (count + 1)) * STEP + 1,
  )
}

async function perRequest(requests: IncomingRequest[]): Promise<number> {
  const begin = process.cpuUsage()
  // As many at once as a busy server has.
  for (let i = 0; i < requests.length; i += 64) {
    await Promise.all(requests.slice(i, i + 64).map((one) => store.handle(one)))
  }
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / requests.length
}

answerParent({
  bytesPerPlant: () => bytesPerPlant,

  /** µs of CPU for a create, a list of 10 and a delete. */
  async round({ where, requests }: { where: 'end' | 'anywhere'; requests: number }) {
    const chosen = [...new Set(ids(where, requests))]
    const creates = chosen.map((id) =>
      request('POST', '/plants', `{"id":${id},"name":"Monstera ${id}","tag":"indoor"}`),
    )
    const create = await perRequest(creates)
    const list = await perRequest(chosen.map(() => request('GET', '/plants?limit=10')))
    const remove = await perRequest(chosen.map((id) => request('DELETE', `/plants/${id}`)))
    return { create, list, delete: remove }
  },
})
