import { expect, it } from 'vitest'
import { serve } from '../../adapters/node.ts'
import { createPlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { sqliteStorage } from '../../src/storage/sqlite.ts'

it('closes a storage, a store and a server with await using', async () => {
  const closed: string[] = []
  const closing = { ...memoryStorage(), close: () => void closed.push('storage') }
  let url: string
  {
    await using store = createPlantStore(closing, () => ({ owner: 'alice' }))
    await using server = await serve(store, { port: 0, signals: false })
    url = server.url
    expect((await fetch(`${url}/plants`, { headers: { authorization: 'Bearer t' } })).status).toBe(
      200,
    )
  }
  expect(closed).toEqual(['storage'])
  await expect(fetch(`${url}/plants`)).rejects.toThrow()
  {
    await using storage = sqliteStorage(':memory:')
    expect(storage.list('alice', { limit: 1 })).toEqual([])
  }
})
