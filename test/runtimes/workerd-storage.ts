import { describe, it } from 'vitest'
import { StorageUnavailableError } from '../../src/errors.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { d1Migration } from '../../src/storage/d1.ts'
import { testPlantStorage } from '../../src/testing.ts'
import { isNightly } from '../shared/nightly.ts'
import { read, write } from './workerd-call.ts'
import { fetchOnOwnConnection, startWorker } from './workerd-start.ts'
import type { Call, Rule } from './workerd-storage-worker.ts'

/**
 * Runs D1 and Durable Objects in workerd, with the storages on them.
 *
 * @param directory keeps the data
 */
export async function startStorages(directory: string) {
  const { url, miniflare, stop } = await startWorker(
    new URL('workerd-storage-worker.ts', import.meta.url),
    {
      d1Databases: {
        DATABASE: 'plants',
        // Nothing listens on port 1.
        UNREACHABLE_DATABASE: {
          id: 'unreachable',
          remoteProxyConnectionString: new URL('http://127.0.0.1:1'),
        },
      },
      durableObjects: { OBJECTS: { className: 'PlantsObject', useSQLite: true } },
      d1Persist: `${directory}/d1`,
      durableObjectsPersist: `${directory}/durable-objects`,
    },
  )
  const database = await miniflare.getD1Database('DATABASE')
  await database.prepare(d1Migration()).run()

  async function ask(path: string, asked: Call | Rule): Promise<any> {
    const response = await fetchOnOwnConnection(
      new Request(url + path, { method: 'POST', body: write(asked) }),
    )
    const answer: any = read(await response.text())
    if (response.ok) return answer
    if (answer.name === 'StorageUnavailableError') throw new StorageUnavailableError(answer.message)
    throw new Error(`${answer.name}: ${answer.message}`)
  }

  return {
    storage: (name: Call[0]): PlantStorage => ({
      create: (owner, plant) => ask('/call', [name, 'create', owner, plant]),
      list: (owner, page) => ask('/call', [name, 'list', owner, page]),
      delete: (owner, id) => ask('/call', [name, 'delete', owner, id]),
    }),
    check: (...rule: Rule): Promise<void> => ask('/check', rule),
    /** The D1 database, outside of the Worker. */
    database,
    stop,
  }
}

/** Defines the tests of the contract. The Worker runs them: one request per test, not per call. */
export function testInWorkerd(check: (rule: string, manyPlants: number) => Promise<void>): void {
  const manyPlants = isNightly ? 1200 : 100
  testPlantStorage(
    { describe, it: (rule, _run, timeoutMs) => it(rule, () => check(rule, manyPlants), timeoutMs) },
    () => {
      throw new Error('The storage is in the Worker')
    },
    { manyPlants },
  )
}
