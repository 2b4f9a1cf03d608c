import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { testPlantStorage } from '../../../src/testing.ts'

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n

const plantOf = (id: bigint) => ({ id, name: `Plant ${id}` })

/** The reference: an array that is sorted after each change. */
function modelStorage() {
  let ids: bigint[] = []
  return {
    create(id: bigint) {
      if (ids.includes(id)) return false
      ids = [...ids, id].sort((a, b) => (a < b ? -1 : 1))
      return true
    },
    delete(id: bigint) {
      const found = ids.includes(id)
      ids = ids.filter((other) => other !== id)
      return found
    },
    list: (after: bigint | undefined, limit: number) =>
      ids.filter((id) => after === undefined || id > after).slice(0, limit),
  }
}

const id = fc.oneof(
  fc.bigInt({ min: -20n, max: 20n }),
  fc.constantFrom(INT64_MIN, INT64_MIN + 1n, INT64_MAX - 1n, INT64_MAX),
  fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
)
const page = fc.record({
  after: fc.option(id, { nil: undefined }),
  limit: fc.integer({ min: 1, max: 20 }),
})
const operation = fc.oneof(
  fc.record({ create: id }),
  fc.record({ delete: id }),
  fc.record({ list: page }),
)

/** A run of ids, ascending, descending or scattered, that fills or empties many leaves of the tree. */
const run = fc.record({
  kind: fc.constantFrom('create', 'create', 'delete'),
  from: fc.integer({ min: -3000, max: 3000 }),
  step: fc.constantFrom(1, -1, 2, -3, 37, -101),
  count: fc.integer({ min: 1, max: 1500 }),
})

describe('memoryStorage with plants to start with', () => {
  const monstera = { id: 7n, name: 'Monstera', tag: 'indoor' }
  const ficus = { id: -1n, name: 'Ficus' }

  it('lists them by owner, in the order of their ids', () => {
    const storage = memoryStorage({ alice: [monstera, ficus], bob: [monstera], carol: [] })
    expect(storage.list('alice', { limit: 9 })).toEqual([ficus, monstera])
    expect(storage.list('bob', { limit: 9 })).toEqual([monstera])
    expect(storage.list('carol', { limit: 9 })).toEqual([])
    expect(storage.create('bob', monstera)).toBe(false)
    expect(storage.delete('alice', 7n)).toBe(true)
  })

  it('copies them, so that later changes of the argument have no effect', () => {
    const plants = { alice: [{ ...monstera }] }
    const storage = memoryStorage(plants)
    plants.alice[0]!.name = 'Weed'
    plants.alice.push({ ...monstera, id: 8n })
    expect(storage.list('alice', { limit: 9 })).toEqual([monstera])
  })

  it.each<[string, unknown, string]>([
    [
      'a duplicate id',
      { bob: [monstera], alice: [monstera, ficus, monstera] },
      'The plants of alice must have different ids; got 7 twice',
    ],
    [
      'an array',
      [monstera],
      "memoryStorage takes plants by owner, such as { alice: [{ id: 7n, name: 'Monstera' }] }: it must be an object; got an array",
    ],
    [
      'null',
      null,
      "memoryStorage takes plants by owner, such as { alice: [{ id: 7n, name: 'Monstera' }] }: it must be an object; got null",
    ],
    [
      'a number',
      7,
      "memoryStorage takes plants by owner, such as { alice: [{ id: 7n, name: 'Monstera' }] }: it must be an object; got a number",
    ],
    [
      'a plant in place of an array',
      { alice: monstera },
      "memoryStorage takes plants by owner, such as { alice: [{ id: 7n, name: 'Monstera' }] }: alice must be an array; got an object",
    ],
    [
      'plants with wrong members',
      { alice: [ficus, { id: 2n ** 63n, tag: null }] },
      "memoryStorage takes plants by owner, such as { alice: [{ id: 7n, name: 'Monstera' }] }: alice.1.id must be an integer from -9223372036854775808 to 9223372036854775807; got 9223372036854775808; alice.1.name is required; alice.1.tag must be a string; got null",
    ],
    [
      'null in place of a plant',
      { alice: [null] },
      "memoryStorage takes plants by owner, such as { alice: [{ id: 7n, name: 'Monstera' }] }: alice.0 must be a JSON object; got null",
    ],
  ])('refuses %s', (_, plants, message) => {
    expect(() => memoryStorage(plants as never)).toThrow(new TypeError(message))
  })
})

describe('memoryStorage', () => {
  testPlantStorage({ describe, it }, () => memoryStorage())

  it('behaves like a sorted array under any sequence of operations', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 100 }), (operations) => {
        const storage = memoryStorage()
        const model = modelStorage()
        for (const operation of operations) {
          if ('create' in operation) {
            const created = storage.create('alice', plantOf(operation.create))
            expect(created).toBe(model.create(operation.create))
          } else if ('delete' in operation) {
            expect(storage.delete('alice', operation.delete)).toBe(model.delete(operation.delete))
          } else {
            const { after, limit } = operation.list
            const plants = storage.list('alice', { after, limit })
            expect(plants).toEqual(model.list(after, limit).map(plantOf))
          }
        }
      }),
    )
  })

  it('keeps thousands of plants in order through long runs of creates and deletes', () => {
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 12 }), (runs) => {
        const storage = memoryStorage()
        const model = new Set<bigint>()
        for (const { kind, from, step, count } of runs) {
          for (let index = 0; index < count; index++) {
            const id = BigInt(from + step * index)
            const answer =
              kind === 'create'
                ? storage.create('alice', plantOf(id)) === !model.has(id)
                : storage.delete('alice', id) === model.has(id)
            if (!answer) expect.fail(`${kind} ${id} was answered wrongly`)
            if (kind === 'create') model.add(id)
            else model.delete(id)
          }
          const ids = [...model].sort((a, b) => (a < b ? -1 : 1))
          expect(walk(storage, 97)).toEqual(ids)
        }
        for (const id of model) storage.delete('alice', id)
        expect(storage.list('alice', { limit: 1 })).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  it('pages at every boundary of a large list', () => {
    const storage = memoryStorage()
    for (let id = 0n; id < 1000n; id++) storage.create('alice', plantOf(id * 2n))
    for (let after = -1n; after < 2000n; after++) {
      const [next] = storage.list('alice', { after, limit: 1 })
      expect(next?.id).toBe(after < 1998n ? after + 2n - ((after + 2n) % 2n) : undefined)
    }
  })

  it('is synchronous', () => {
    const storage = memoryStorage()
    expect(storage.create('alice', plantOf(1n))).toBe(true)
    expect(storage.create('alice', plantOf(1n))).toBe(false)
    expect(storage.list('alice', { limit: 1 })).toEqual([plantOf(1n)])
    expect(storage.delete('alice', 1n)).toBe(true)
    expect(storage.delete('alice', 1n)).toBe(false)
  })

  it('stores copies, whatever callers do to their objects', () => {
    const storage = memoryStorage()
    const plant = { id: 1n, name: 'Monstera', tag: 'indoor' }
    storage.create('alice', plant)
    plant.name = 'Weed'
    const [stored] = storage.list('alice', { limit: 1 })
    expect(stored).toEqual({ id: 1n, name: 'Monstera', tag: 'indoor' })
    expect(() => Object.assign(stored!, { name: 'Weed' })).toThrow(TypeError)
  })

  it('omits the tag when none was given', () => {
    const storage = memoryStorage()
    storage.create('alice', { id: 1n, name: 'Monstera', tag: undefined })
    expect(storage.list('alice', { limit: 1 })).toStrictEqual([{ id: 1n, name: 'Monstera' }])
  })

  it('keeps the plants of owners apart, whatever their names', () => {
    const storage = memoryStorage()
    const owners = ['alice', 'Alice', 'alice ', '', '__proto__', 'constructor', '\u00e9', 'e\u0301']
    for (const owner of owners) expect(storage.create(owner, { id: 1n, name: owner })).toBe(true)
    for (const owner of owners) {
      expect(storage.list(owner, { limit: 9 })).toEqual([{ id: 1n, name: owner }])
    }
  })
})

function walk(storage: ReturnType<typeof memoryStorage>, limit: number): bigint[] {
  const ids: bigint[] = []
  for (;;) {
    const plants = storage.list('alice', { after: ids.at(-1), limit })
    for (const { id } of plants) ids.push(id)
    if (plants.length < limit) return ids
  }
}
