import { describe, expect, it, vi } from 'vitest'
import type { PlantStorage, StoredPlant } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { followLink } from '../../../src/testing/adapter/lists.ts'
import { mounted, request } from '../mounted.ts'

const ORIGIN = 'http://localhost'
const HEAD = { method: 'HEAD' }
const KiB = 1024
const MiB = 1024 * KiB

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
function numbered(
  count: number,
  contentOf = (id: number): Omit<StoredPlant, 'id'> => ({ name: String(id) }),
) {
  const reads: { after?: bigint; limit: number }[] = []
  const storage: PlantStorage = {
    ...memoryStorage(),
    list(_, page) {
      reads.push(page)
      const from = Number(page.after ?? 0n)
      const length = Math.max(0, Math.min(page.limit, count - from))
      const ids = Array.from({ length }, (_, index) => from + index + 1)
      return ids.map((id) => ({ id: BigInt(id), ...contentOf(id) }))
    },
  }
  return { storage, reads }
}

const names = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1))

describe('A list', () => {
  it.each([0, 1, 10, 100, 101, 102, 500, 612, 613, 614, 1000])(
    'of %i plants is complete without limit, and with every limit',
    async (count) => {
      const { walk } = storeOn(numbered(count).storage)
      expect(await walk('/plants')).toEqual([names(count)])
      for (const limit of [7, 100, 101, 102, 500, 511, 512, 513, 999, 1000, 1001, 2147483647]) {
        const pages = await walk(`/plants?limit=${limit}`)
        expect(pages.flat()).toEqual(names(count))
        expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true)
        if (count > 0) expect(pages.at(-1)).not.toEqual([])
      }
    },
  )

  it.each([
    [0, 1, 1],
    [10, 1, 1],
    [100, 1, 1],
    [500, 2, 1],
    [1000, 3, 2],
    [10_000, 21, 20],
  ])(
    'of %i plants takes %i calls of the storage, and %i with limit',
    async (count, calls, withLimit) => {
      const { storage, reads } = numbered(count)
      const { send } = storeOn(storage)
      for (const path of ['/plants', `/plants?limit=${count || 1}`, '/plants?limit=20000']) {
        reads.length = 0
        await (await send(path)).text()
        expect(reads).toHaveLength(path === '/plants' ? calls : withLimit)
        const isLast = reads.map(({ after = 0n, limit }) => count - Number(after) < limit)
        expect(isLast.slice(0, -1)).not.toContain(true)
        expect(reads.every(({ limit }) => limit > 0 && limit <= 512)).toBe(true)
        const asked = reads.reduce((sum, { limit }) => sum + limit, 0)
        if (path === `/plants?limit=${count}`) expect(asked).toBe(count + 1)
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
    ['HEAD', '', [{ limit: 101 }]],
  ])(
    'of %s ?%s asks for one plant more than limit, or for a page',
    async (method, query, pages) => {
      const { storage, reads } = numbered(100)
      await storeOn(storage).send(`/plants?${query}`, { method })
      expect(reads).toEqual(pages)
    },
  )

  it('has the same headers for HEAD as for GET, and no body', async () => {
    const { send } = storeOn(numbered(1000).storage)
    for (const query of ['', '?limit=10', '?limit=300', '?limit=2000']) {
      const [get, head] = await Promise.all([
        send(`/plants${query}`),
        send(`/plants${query}`, HEAD),
      ])
      const length = get.headers.get('link') ? String((await get.text()).length) : null
      const headers = Object.fromEntries(head.headers)
      if (length) expect(headers['content-length']).toBe(length)
      expect(headers).toMatchObject(Object.fromEntries(get.headers))
      // For a null body without a Content-Length, runtimes send `Content-Length: 0`.
      expect(head.body === null).toBe('content-length' in headers)
      expect(await head.text()).toBe('')
    }
  })

  it('omits a tag that the storage returns as null', async () => {
    const storage = { ...memoryStorage(), list: () => [{ id: 1n, name: 'a', tag: null } as never] }
    expect(await (await storeOn(storage).send('/plants')).json()).toEqual([{ name: 'a' }])
  })

  it('with limit is a snapshot, although plants are added while it is sent', async () => {
    const storage = memoryStorage()
    for (let id = 0n; id < 2000n; id++) storage.create('alice', { id: id * 2n, name: 'even' })
    const response = await storeOn(storage).send('/plants?limit=1500')
    for (let id = 0n; id < 2000n; id++) storage.create('alice', { id: id * 2n + 1n, name: 'odd' })
    const plants: { name: string }[] = await response.json()
    expect(plants).toHaveLength(1500)
    expect(plants.every(({ name }) => name === 'even')).toBe(true)
  })

  it.each<[string, Omit<StoredPlant, 'id'>, number]>([
    ['ordinary plants', { name: 'a'.repeat(40), tag: 'indoor' }, 15_650],
    ['plants with long names', { name: 'a'.repeat(10_000) }, 104],
    ['plants with long tags', { name: '', tag: 'a'.repeat(10_000) }, 104],
    ['plants of 64 KiB', { name: 'a'.repeat(65_500) }, 16],
    ['plants that are larger than a response', { name: 'a'.repeat(3_000_000) }, 1],
  ])('of %s with limit ends at 1 MiB, and Link leads on', async (_, content, expected) => {
    const { send, walk } = storeOn(numbered(2 * expected, () => content).storage)
    const { headers } = await send('/plants?limit=2147483647')
    expect(headers.get('link')).toContain('?limit=2147483647&')
    const pages = await walk('/plants?limit=2147483647')
    expect(pages.map((page) => page.length)).toEqual([expected, expected])
  })

  it('begins with a small page while another list of the same owner reads a larger one', async () => {
    const { storage, reads } = numbered(600)
    const list: PlantStorage['list'] = async (...call) => storage.list(...call)
    const { send } = storeOn({ ...storage, list })
    await Promise.all([1, 2, 3].map(() => send('/plants?limit=500')))
    expect(reads.slice(0, 3).map(({ limit }) => limit)).toEqual([501, 101, 101])
  })

  it('begins with a small page for a while after a large one of the same owner', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const { storage, reads } = numbered(600, (id) => ({
        name: id < 3 ? 'a'.repeat(100_000) : 'a',
      }))
      const { fetch } = mounted({}, storage, (owner: string) => ({ owner }))
      async function firstPage(owner: string, cursor = '') {
        reads.length = 0
        const headers = { authorization: `Bearer ${owner}` }
        await (await fetch(request(`/plants?limit=500${cursor}`, { headers }))).text()
        return reads[0]!.limit
      }
      const afterLarge = '&cursor=0000000000000002'
      expect(await firstPage('alice')).toBe(501)
      expect(await firstPage('alice', afterLarge)).toBe(101)
      expect(await firstPage('bob', afterLarge)).toBe(501)
      vi.advanceTimersByTime(9900)
      expect(await firstPage('alice', afterLarge)).toBe(101)
      vi.advanceTimersByTime(11_000)
      expect(await firstPage('alice', afterLarge)).toBe(501)
    } finally {
      vi.useRealTimers()
    }
  })

  it.each([
    [undefined, 512],
    [64 * KiB, 128],
    [MiB, 8],
    [64 * MiB, 1],
  ])(
    'with a maxBodyBytes of %i asks for at most %i plants at once, since all may be so large',
    async (maxBodyBytes, max) => {
      const { storage, reads } = numbered(3000)
      const { walk } = storeOn(storage, { maxBodyBytes })
      await walk('/plants')
      await walk('/plants?limit=2000')
      expect(Math.max(...reads.map(({ limit }) => limit))).toBe(max)
    },
  )

  it('asks for fewer plants after large ones, and for more after small ones', async () => {
    const isLarge = (id: number) => id > 1000 && id <= 1100
    const { storage, reads } = numbered(3000, (id) => ({
      name: 'a'.repeat(isLarge(id) ? 65_500 : 5),
    }))
    const { send } = storeOn(storage)
    const response = await send('/plants')
    for await (const chunk of response.body!) expect(chunk.length).toBeLessThan(300_000)
    const limits = reads.map(({ limit }) => limit)
    expect(limits.slice(0, 3)).toEqual([101, 404, 512])
    expect(limits.slice(4, 20).every((limit) => limit < 10)).toBe(true)
    expect(limits.at(-1)).toBe(512)
  })

  it('with limit has as many plants as 1 MiB has room for, although their names need escapes', async () => {
    const { send, walk } = storeOn(numbered(100, () => ({ name: '\u0001'.repeat(10_900) })).storage)
    const { length } = await (await send('/plants?limit=100')).text()
    expect(length).toBeGreaterThan(0.9 * MiB)
    expect(length).toBeLessThanOrEqual(MiB)
    expect((await walk('/plants?limit=100')).flat()).toHaveLength(100)
  })

  it('with limit reads hardly more plants than its response has room for', async () => {
    const { storage, reads } = numbered(1000, () => ({ name: 'a'.repeat(1500) }))
    const plants = (await (await storeOn(storage).send('/plants?limit=1000')).json()) as unknown[]
    const read = reads.reduce((sum, { limit }) => sum + limit, 0)
    expect(read).toBeLessThan(1.05 * plants.length)
  })

  it('of large plants is sent a few at a time, also if all are in the first page', async () => {
    const { storage } = numbered(20, () => ({ name: 'a'.repeat(1_000_000) }))
    const response = await storeOn(storage).send('/plants')
    for await (const chunk of response.body!) expect(chunk.length).toBeLessThan(1_100_000)
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
    // One for each of the 40 pages, however fast they are.
    expect(turns).toBeGreaterThan(35)
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
