import { describe, expect, it, vi } from 'vitest'
import {
  type Plant,
  type PlantStorage,
  StorageUnavailableError,
  type StoredPlant,
} from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { followLink } from '../../../src/testing/adapter/plants.ts'
import { mounted, request } from '../mounted.ts'

const ORIGIN = 'http://localhost'

function nextPath(path: string, { headers }: Response): string | undefined {
  return followLink(ORIGIN + path, headers.get('link'))?.slice(ORIGIN.length)
}

/** A store on this storage, and a client of it. */
function storeOn(storage: PlantStorage, options = {}) {
  const { fetch } = mounted(options, storage)
  const send = (path: string, init?: RequestInit) => fetch(request(path, init))
  const walk = async (path: string) => {
    const pages: string[][] = []
    for (let next: string | undefined = path; next; ) {
      const response: Response = await send(next)
      const plants: { name: string }[] = await response.json()
      pages.push(plants.map(({ name }) => name))
      next = nextPath(next, response)
    }
    return pages
  }
  return { send, walk }
}

/** A storage of the plants 1 to count that counts its reads. */
function numbered(count: number) {
  const reads: { after?: bigint; limit: number }[] = []
  const storage: PlantStorage = {
    ...memoryStorage(),
    list(_, page) {
      reads.push(page)
      const from = Number(page.after ?? 0n)
      const length = Math.max(0, Math.min(page.limit, count - from))
      return Array.from({ length }, (_, index): StoredPlant => {
        const id = from + index + 1
        return { id: BigInt(id), name: String(id) }
      })
    },
  }
  return { storage, reads }
}

const names = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1))

describe('A list', () => {
  it.each([0, 1, 10, 11, 12, 43, 44, 45, 143, 144, 145, 1000])(
    'of %i plants is complete without limit, and with every limit',
    async (count) => {
      const { walk } = storeOn(numbered(count).storage)
      expect(await walk('/plants')).toEqual([names(count)])
      for (const limit of [7, 10, 11, 12, 44, 100, 101, 200, 999, 1000, 1001, 2147483647]) {
        const pages = await walk(`/plants?limit=${limit}`)
        expect(pages.flat()).toEqual(names(count))
        expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true)
        if (count > 0) expect(pages.at(-1)).not.toEqual([])
      }
    },
  )

  it.each([0, 10, 11, 12, 100, 1000])(
    'of %i plants asks for no page after its last',
    async (count) => {
      const { storage, reads } = numbered(count)
      const { send } = storeOn(storage)
      for (const path of ['/plants', `/plants?limit=${count}`, '/plants?limit=2000']) {
        reads.length = 0
        await (await send(path)).text()
        const isLast = reads.map(({ after = 0n, limit }) => count - Number(after) < limit)
        expect(isLast.slice(0, -1)).not.toContain(true)
        expect(reads.every(({ limit }) => limit > 0)).toBe(true)
      }
    },
  )

  it('has pages of at most maxLimit, whatever limit is', async () => {
    const { walk } = storeOn(numbered(10).storage, { maxLimit: 4 })
    const pages = [
      ['1', '2', '3', '4'],
      ['5', '6', '7', '8'],
      ['9', '10'],
    ]
    expect(await walk('/plants')).toEqual(pages)
    expect(await walk('/plants?limit=100')).toEqual(pages)
    expect(await walk('/plants?limit=5&cursor=0000000000000002')).toEqual([
      names(10).slice(2, 6),
      names(10).slice(6),
    ])
    expect((await walk('/plants?limit=3')).map((page) => page.length)).toEqual([3, 3, 3, 1])
  })

  it('goes on exactly after the last plant of a page, where a double would skip one', async () => {
    const plants = [2n ** 53n + 3n, 2n ** 53n + 4n].map((id) => ({ id, name: `${id}` }))
    const { walk } = storeOn(memoryStorage({ alice: plants }))
    expect(await walk('/plants?limit=1')).toEqual(plants.map(({ name }) => [name]))
  })

  it('reads a page only when the client has room for it', async () => {
    const { storage, reads } = numbered(1_000_000)
    const { send } = storeOn(storage)
    const response = await send('/plants')
    expect(reads).toHaveLength(1)
    const reader = response.body!.getReader()
    await reader.read()
    await reader.read()
    expect(reads.length).toBeLessThanOrEqual(3)
    await reader.cancel()
    const readsAtCancel = reads.length
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(reads).toHaveLength(readsAtCancel)
  })

  it.each([
    ['GET', 'limit=10&cursor=0000000000000005', [{ after: 5n, limit: 11 }]],
    ['GET', 'limit=0', []],
    ['HEAD', 'limit=10', [{ limit: 11 }]],
    // The Link of a longer page would need several reads.
    ['HEAD', 'limit=11', [{ limit: 1 }]],
  ])(
    'of %s ?%s asks for one plant more than limit, and for no more',
    async (method, query, pages) => {
      const { storage, reads } = numbered(100)
      await storeOn(storage).send(`/plants?${query}`, { method })
      expect(reads).toEqual(pages)
    },
  )

  it('with limit is a snapshot, although plants are added while it is sent', async () => {
    const storage = memoryStorage()
    for (let id = 0n; id < 2000n; id++) storage.create('alice', { id: id * 2n, name: 'even' })
    const response = await storeOn(storage).send('/plants?limit=1500')
    for (let id = 0n; id < 2000n; id++) storage.create('alice', { id: id * 2n + 1n, name: 'odd' })
    const plants: { name: string }[] = await response.json()
    expect(plants).toHaveLength(1500)
    expect(plants.every(({ name }) => name === 'even')).toBe(true)
  })

  it('too large to buffer fails rather than exceed limit', async () => {
    const storage = memoryStorage()
    const name = 'a'.repeat(4000)
    for (let id = 0n; id < 2000n; id++) storage.create('alice', { id: id * 2n, name })
    const onError = vi.fn()
    const { send, walk } = storeOn(storage, { onError })
    expect((await walk('/plants?limit=1500')).map((page) => page.length)).toEqual([1500, 500])
    expect((await walk('/plants?limit=2000')).map((page) => page.length)).toEqual([2000])

    const response = await send('/plants?limit=1500')
    for (let id = 0n; id < 100n; id++) storage.create('alice', { id: id * 2n + 1n, name })
    await expect(response.text()).rejects.toThrow()
    expect(onError).toHaveBeenCalledExactlyOnceWith(new Error('New plants exceed limit'), {})
  })

  it.each<[string, (storage: PlantStorage) => unknown, number, string]>([
    ['its storage fails', () => Promise.reject(new StorageUnavailableError('gone')), 503, ''],
    ['a plant of it has gone', (storage) => storage.delete('alice', 1n), 200, '2'],
    [
      'its plants have gone',
      ({ delete: remove }) => [1n, 2n].map((id) => remove('alice', id)),
      200,
      '',
    ],
  ])('too large to buffer, where %s before it is read again', async (_, change, status, ids) => {
    const plants = [1n, 2n, 3n].map((id) => ({ id, name: `${id}${'a'.repeat(1_000_000)}` }))
    const storage = memoryStorage({ alice: plants })
    let reads = 0
    const list: PlantStorage['list'] = async (owner, page) => {
      if (page.after === undefined && reads++ > 0) await change(storage)
      return storage.list(owner, page)
    }
    const response = await storeOn({ ...storage, list }, { onError() {} }).send('/plants?limit=2')
    expect(response.status).toBe(status)
    const names = Object.values(await response.json()).map((plant) => (plant as Plant).name?.[0])
    expect(names.join('')).toBe(ids)
  })

  it.each<[string, number, number, Omit<StoredPlant, 'id'>]>([
    ['very many plants, however small they are,', 100, 300_000, { name: '' }],
    ['plants with long names', 26, 500, { name: 'a'.repeat(10_000) }],
    ['plants with long tags', 26, 500, { name: '', tag: 'a'.repeat(10_000) }],
  ])('of %s is not kept, and at most %i are read at once', async (_, size, count, content) => {
    const { storage, reads } = numbered(count)
    const { list } = storage
    storage.list = async (owner, page) =>
      (await list(owner, page)).map(({ id }) => ({ id, ...content }))
    const response = await storeOn(storage).send(`/plants?limit=${count - 1}`)
    const before = reads.length
    await response.text()
    expect(reads.length).toBeGreaterThan(before)
    expect(Math.max(...reads.map(({ limit }) => limit))).toBeLessThanOrEqual(size)
  })

  it('of large plants is sent a few at a time', async () => {
    const storage = memoryStorage()
    const name = 'a'.repeat(1_000_000)
    for (let id = 0n; id < 20n; id++) storage.create('alice', { id, name })
    const { send } = storeOn(storage)
    for (const path of ['/plants', '/plants?limit=19']) {
      const response = await send(path)
      let plants = 0
      for await (const chunk of response.body!) {
        expect(chunk.length).toBeLessThan(1_100_000)
        plants += chunk.length > 1_000_000 ? 1 : 0
      }
      expect(plants).toBe(path === '/plants' ? 20 : 19)
    }
  })

  it('yields to other work, even if storage and client never wait', async () => {
    const { send } = storeOn(numbered(20_000).storage)
    let turns = 0
    let over = false
    function turn() {
      turns++
      if (!over) setImmediate(turn)
    }
    setImmediate(turn)
    await (await send('/plants')).text()
    over = true
    // One for each of the 200 pages, however fast they are.
    expect(turns).toBeGreaterThan(190)
  })

  it('ends at the last id it had at the start, although plants are added after it', async () => {
    const storage = memoryStorage()
    for (let id = 0n; id < 1000n; id++) storage.create('alice', { id, name: 'a' })
    const response = await storeOn(storage).send('/plants?limit=5000')
    for (let id = 1000n; id < 1100n; id++) await storage.create('alice', { id, name: 'b' })
    expect(await response.json()).toHaveLength(1000)
  })

  it('omits a tag that the storage returns as null', async () => {
    const storage = { ...memoryStorage(), list: () => [{ id: 1n, name: 'a', tag: null } as never] }
    expect(await (await storeOn(storage).send('/plants')).json()).toEqual([{ name: 'a' }])
  })

  it('does not wait for fake timers', async () => {
    const { send } = storeOn(numbered(250).storage)
    vi.useFakeTimers({ toFake: ['setImmediate'] })
    try {
      expect(await (await send('/plants')).json()).toHaveLength(250)
    } finally {
      vi.useRealTimers()
    }
  })
})
