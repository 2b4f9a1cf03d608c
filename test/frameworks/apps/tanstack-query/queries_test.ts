import assert from 'node:assert/strict'
import { it } from 'node:test'
import { InfiniteQueryObserver, MutationObserver, QueryClient } from '@tanstack/react-query'
import { createPlantStore, StorageUnavailableError } from 'plant-store'
import { createPlantClient } from 'plant-store/client'
import { memoryStorage } from 'plant-store/storage/memory'
import { creatingPlant, deletingPlant, plantPages } from './plant-queries.ts'

it('reads page by page, again after each change, and after a failure that may pass', async () => {
  const storage = memoryStorage({ alice: [1n, 2n, 3n].map((id) => ({ id, name: `plant ${id}` })) })
  let failures = 1
  const flaky = {
    ...storage,
    list(...args: Parameters<typeof storage.list>) {
      if (failures-- > 0) throw new StorageUnavailableError('The database is down')
      return storage.list(...args)
    },
  }
  const { fetch } = createPlantStore(flaky, () => ({ owner: 'alice' }), { onError() {} })
  const plants = createPlantClient({ baseUrl: 'http://localhost', token: 'any', fetch })
  const queries = new QueryClient()
  const observer = new InfiniteQueryObserver(queries, plantPages(plants, 2))
  const stop = observer.subscribe(() => {})
  const shown = () =>
    observer.getCurrentResult().data?.pages.map((page) => page.plants.map(({ name }) => name))

  await observer.refetch()
  assert.deepEqual(shown(), [['plant 1', 'plant 2']])
  await observer.fetchNextPage()
  assert.deepEqual(shown(), [['plant 1', 'plant 2'], ['plant 3']])
  assert.equal(observer.getCurrentResult().hasNextPage, false)

  const id = 2n ** 63n - 1n
  await new MutationObserver(queries, creatingPlant(plants, queries)).mutate({ id, name: 'Fern' })
  assert.deepEqual(shown(), [
    ['plant 1', 'plant 2'],
    ['plant 3', 'Fern'],
  ])
  await new MutationObserver(queries, deletingPlant(plants, queries)).mutate(1n)
  assert.deepEqual(shown(), [['plant 2', 'plant 3'], ['Fern']])
  stop()
  queries.clear()
})
