import { describe, expect, it } from 'vitest'
import { StorageUnavailableError } from '../../src/errors.ts'
import { type MemoryStorage, memoryStorage } from '../../src/storage/memory.ts'
import { random } from '../shared/random.ts'
import { startLoad } from './load.ts'

type Change = (storage: MemoryStorage) => Partial<MemoryStorage>

/** Storages that break their promise, each with what is found. */
const broken: Record<string, [violation: string, change: Change]> = {
  'list leaves its last plant out': [
    'No order explains',
    ({ list }) => ({ list: (...call) => list(...call).slice(0, -1) }),
  ],
  'list returns its first plant twice': [
    'not in order',
    ({ list }) => ({ list: (...call) => [...list(...call).slice(0, 1), ...list(...call)] }),
  ],
  'create returns true for a duplicate': [
    'No order explains',
    ({ create }) => ({ create: (...call) => create(...call) || true }),
  ],
  'create throws for a duplicate': [
    'failed: Error: UNIQUE constraint failed',
    ({ create }) => ({
      create(...call) {
        if (create(...call)) return true
        throw new Error('UNIQUE constraint failed')
      },
    }),
  ],
  'delete does nothing': ['No order explains', () => ({ delete: () => true })],
}

/** Loads a storage each of whose calls takes effect at a later turn of the event loop, or never, or has no reply. */
async function loaded(storage: MemoryStorage, seed: number) {
  const dice = random(seed)
  async function call<T>(run: () => T): Promise<Awaited<T>> {
    const [lostAt, before, after] = [dice.below(20), dice.below(4), dice.below(4)]
    for (let turn = 0; turn < before; turn++) await new Promise(setImmediate)
    if (lostAt === 0) throw new StorageUnavailableError('The call is lost')
    const result = await run()
    for (let turn = 0; turn < after; turn++) await new Promise(setImmediate)
    if (lostAt === 1) throw new StorageUnavailableError('The reply is lost')
    return result
  }
  const load = startLoad(
    {
      create: (owner, plant) => call(() => storage.create(owner, plant)),
      list: (owner, query) => call(() => storage.list(owner, query)),
      delete: (owner, id) => call(() => storage.delete(owner, id)),
    },
    seed,
  )
  await load.answered(1000)
  return load.finish()
}

describe('a load', () => {
  it('finds nothing wrong where each call takes effect at one moment or never', async () => {
    const { errors, violations } = await loaded(memoryStorage(), 1)
    expect(violations).toEqual([])
    expect(errors.length).toBeGreaterThan(0)
  })

  it.each(Object.entries(broken))('finds a storage where %s', async (_, [violation, change]) => {
    // Whether two calls meet in the way that goes wrong differs from load to load.
    const found: string[] = []
    for (let seed = 1; seed <= 20 && !found.some((it) => it.includes(violation)); seed++) {
      const storage = memoryStorage()
      found.push(...(await loaded({ ...storage, ...change(storage) }, seed)).violations)
    }
    expect(found).toContainEqual(expect.stringContaining(violation))
  })
})
