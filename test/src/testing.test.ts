import { describe, expect, it } from 'vitest'
import type { MaybePromise } from '../../src/maybe-promise.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { sqliteStorage } from '../../src/storage/sqlite.ts'
import { type TestPlantStorageOptions, testPlantStorage } from '../../src/testing.ts'
import { type Broken, storageOf } from './testing/broken-storages/broken.ts'
import { brokenStorages } from './testing/broken-storages.ts'
import { caughtByRule } from './testing/caught-by-rule.ts'

const allBroken: Broken = Object.assign({}, ...Object.values(brokenStorages))

testPlantStorage({ describe, it }, () => storageOf(), { manyPlants: 2500 })

describe('testPlantStorage', () => {
  it('reports the call, its result and the violated rule', async () => {
    const [failure] = await failuresOf(() => ({ ...storageOf(), create: () => true }))
    expect(failure?.message).toMatchInlineSnapshot(`
      "list("alice", { limit: 4 }) returned 0 plants: at index 0, expected { id: -1n, name: "plant -1", tag: "a" }, got nothing
      Violated rule: create returns true for a new id; for a taken one it returns false and changes nothing."
    `)
  })

  it.each([
    ['create returns undefined', 'must return true or false, got undefined'],
    ['create returns 0 or 1', 'must return true or false, got 1'],
    ['create returns the text true or false', 'must return true or false, got "true"'],
    ['create returns the number of changes', 'must return true or false, got { changes: 1 }'],
    ['delete returns undefined', 'must return true or false, got undefined'],
    ['delete returns 0 or 1', 'must return true or false, got 1'],
    ['delete returns the text true or false', 'must return true or false, got "true"'],
    ['delete returns the number of changes', 'must return true or false, got { changes: 1 }'],
    ['list returns undefined', '4 }) returned undefined: the result must be an array'],
    ['list returns an object with rows', '] }: the result must be an array'],
    ['list returns null instead of plants', 'each plant must be an object, got null'],
    ['list returns plants without id', 'name: "plant -1", tag: "a" } must be a bigint'],
    [
      'list returns ids as numbers',
      'the id of { id: -1, name: "plant -1", tag: "a" } must be a bigint',
    ],
    ['list returns plants without name', 'the name of { id: -1n, tag: "a" } must be a string'],
    ['list returns missing tags as null', 'tag: null } must be a string or undefined'],
    ['limit is ignored', '2 plants are more than limit'],
    ['after is ignored', 'must be greater than after'],
    ['list is descending', 'the id 0n follows 1n, but ids must be ascending'],
    ['create always returns true', 'returned true although "alice" had a plant with that id'],
    [
      'delete always returns true',
      'delete("alice", -12n) returned true although "alice" had no plant with that id',
    ],
    [
      'delete always returns false',
      'delete("alice", 110n) returned false although "alice" had a plant with that id',
    ],
    [
      'delete returns what it found before it waited',
      'On an empty storage, -8 more creates than deletes of one id returned true, but then list had 0',
    ],
    [
      'create returns false before the other plant is stored',
      'create("alice", { id: 1n, name: "plant 0" }) returned false, but a list after that had 0',
    ],
    [
      'concurrent creates of identical plants share one result',
      'Of 128 concurrent creates with one id, 2 returned true, expected 1',
    ],
    [
      'delete returns false before the other delete has removed the plant',
      'delete("alice", 2n) returned false, but a list after that had { id: 2n, name: "plant 2" }',
    ],
    [
      'delete looks, waits, then removes',
      'Of 128 concurrent deletes of one plant, 128 returned true, expected 1',
    ],
    [
      'list reads ids, then the plants that still exist',
      'During creates and deletes of other plants, pages of ',
    ],
  ])('explains a wrong result: %s', async (name, problem) => {
    for (const run of testsOf(allBroken[name]!)) {
      const message = await run().catch((failure: Error) => failure.message)
      if (message?.includes(problem)) return
    }
    expect.fail('No test explains it so')
  })

  it.each([{ id: 9n }, { name: 'Weed' }, { tag: 'weed' }])(
    'explains a create that modifies the plant passed to it: %o',
    async (change) => {
      const failure = await firstFailureOf(() => {
        const storage = storageOf()
        const create: PlantStorage['create'] = (owner, plant) => {
          const created = storage.create(owner, { ...plant })
          Object.assign(plant, change)
          return created
        }
        return { ...storage, create }
      })
      expect(failure?.message).toMatch(
        /^create\("alice", .* modified the plant that was passed to it/,
      )
    },
  )

  it('names the length of owners that a storage must keep', async () => {
    const makeStorage = brokenStorages.owners!['owners longer than 1403 bytes are refused']!
    const failures = await failuresOf(makeStorage)
    expect(failures.map(({ message }) => message)).toEqual([
      expect.stringMatching(/threw Error: Data too long\n.* owners of up to 1404 bytes of UTF-8/),
    ])
  })

  it('passes a storage that refuses owners longer than 1404 bytes', async () => {
    const failures = await failuresOf(() => {
      const storage = storageOf()
      const create: PlantStorage['create'] = (owner, plant) => {
        if (Buffer.byteLength(owner) > 1404) throw new Error('Data too long')
        return storage.create(owner, plant)
      }
      return { ...storage, create }
    })
    expect(failures).toEqual([])
  })

  it('passes a storage of small values if it is told how small', async () => {
    const failures = await failuresOf(
      () => {
        const storage = storageOf()
        const create: PlantStorage['create'] = (owner, { id, ...plant }) => {
          const body = `{"id":${id},${JSON.stringify(plant).slice(1)}`
          if (Buffer.byteLength(body) > 20_000) throw new Error('Value too large')
          return storage.create(owner, { id, ...plant })
        }
        return { ...storage, create }
      },
      { maxBodyBytes: 20_000 },
    )
    expect(failures).toEqual([])
  })

  it('distinguishes a storage that was not empty from a broken one', async () => {
    const shared = storageOf()
    const failures = await failuresOf(() => shared)
    expect(failures.length).toBeGreaterThan(10)
    for (const { message } of failures) {
      expect(message).toMatch(
        /^makeStorage must return an empty storage; found { id: .* } of owner ".*"\. Return/,
      )
    }
  })

  it('distinguishes a storage that adds its own plants from a broken one', async () => {
    const failures = await failuresOf(() => {
      const storage = storageOf()
      storage.create('bob', { id: 0n, name: 'Fern' })
      return storage
    })
    const messages = failures.map(({ message }) => message)
    expect(messages).not.toEqual([])
    for (const message of messages)
      expect(message).toContain('found { id: 0n, name: "Fern" } of owner "bob".')
  })

  it('does not blame makeStorage for the plants of a broken storage', async () => {
    const failures = await failuresOf(() => ({ ...storageOf(), delete: () => false }))
    expect(failures).not.toEqual([])
    for (const { message } of failures) expect(message).toContain('\nViolated rule: ')
  })

  it('makes no call before a test, so that a bug of a cold storage shows', async () => {
    const calls: string[] = []
    const [first] = testsOf(() => {
      const storage = storageOf()
      return {
        create(owner, plant) {
          calls.push('create')
          return storage.create(owner, plant)
        },
        list(owner, query) {
          calls.push('list')
          return storage.list(owner, query)
        },
        delete: storage.delete,
      }
    })
    await first!()
    expect(calls[0]).toBe('create')
  })

  it('closes every storage that it gets, also after a failed test', async () => {
    let [opened, closed] = [0, 0]
    const failures = await failuresOf(() => {
      opened++
      const storage = brokenStorages.paging!['after is ignored']!()
      return { ...storage, close: () => void closed++ }
    })
    expect(failures).not.toEqual([])
    expect(closed).toBe(opened)
  })

  it('passes a storage that resolves late and out of order', async () => {
    expect(await failuresOf(() => late(memoryStorage()))).toEqual([])
  })

  it('with 100 000 plants, passes a storage of constant speed and catches one that slows down', async () => {
    const run = (makeStorage: () => PlantStorage) =>
      testsOf(makeStorage, { manyPlants: 100_000 }).at(-1)!()
    await run(() => sqliteStorage(':memory:'))
    await expect(run(slowing)).rejects.toThrow(
      /^list took .* ms with 1000 plants, but .* ms with all plants/,
    )
  })

  it('rejects unknown and invalid options', () => {
    const define = (options: object) => () => testsOf(memoryStorage, options)
    expect(define({ manyPlant: 1000 })).toThrow(
      new TypeError(
        'testPlantStorage has no option manyPlant; the options are manyPlants, maxBodyBytes',
      ),
    )
    for (const manyPlants of [99, 100.5, Number.NaN]) {
      expect(define({ manyPlants })).toThrow(
        new RangeError(
          `manyPlants must be a whole number from 100 to ${Number.MAX_SAFE_INTEGER}; got ${manyPlants}`,
        ),
      )
    }
    expect(define({ maxBodyBytes: 19_999 })).toThrow(
      'maxBodyBytes must be a whole number from 20000 ',
    )
    expect(define({ maxBodyBytes: 20_000 })).not.toThrow()
    expect(define({ manyPlants: undefined })).not.toThrow()
  })

  it('rejects what is not a test framework, and a storage instead of a function', () => {
    const calls: [args: unknown[], got: string][] = [
      [[], 'undefined as describe'],
      [[memoryStorage], 'undefined as describe'],
      [[{ describe() {} }, memoryStorage], 'undefined as it'],
      [[{ describe() {}, it() {} }, memoryStorage()], 'an object as makeStorage'],
    ]
    for (const [args, got] of calls) {
      expect(() => (testPlantStorage as (...args: unknown[]) => void)(...args)).toThrow(
        new TypeError(
          `testPlantStorage({ describe, it }, makeStorage) takes functions; got ${got}`,
        ),
      )
    }
  })

  it('rejects what is not a storage', async () => {
    const notStorages: [unknown, string][] = [
      [undefined, 'undefined'],
      ['plants.db', '"plants.db"'],
      [{}, '{}'],
      [memoryStorage, 'a function'],
      [{ create() {}, list: undefined }, '{ create: a function }'],
    ]
    for (const [notStorage, shown] of notStorages) {
      const [failure] = await failuresOf(() => notStorage as PlantStorage)
      expect(failure?.message).toBe(
        `makeStorage must return a storage with the methods create, list and delete; got ${shown}`,
      )
    }
  })
})

for (const [part, storages] of Object.entries(brokenStorages)) {
  describe.concurrent(`testPlantStorage catches broken ${part}`, () => {
    it.each(Object.entries(storages))('%s', async (_, makeStorage) => {
      const failure = await firstFailureOf(makeStorage)
      expect(failure?.name).toBe('ContractViolation')
    })
  })
}

describe.concurrent('each rule of testPlantStorage catches', () => {
  const violation = (rule: string) =>
    expect.stringMatching(`.\nViolated rule: ${toPattern(rule)}.$`)

  it('something, since the list of them is complete', () => {
    expect(Object.keys(caughtByRule)).toEqual(Object.keys(testsByRule(memoryStorage)))
  })

  it.each(Object.entries(caughtByRule))('what no other rule does: %s', async (rule, { only }) => {
    const tests = Object.values(testsByRule(allBroken[only]!))
    const outcomes = await Promise.allSettled(tests.map((run) => run()))
    const failures = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(failures.map(({ reason }) => reason.message)).toEqual([violation(rule)])
  })

  it.each(Object.entries(caughtByRule))('by itself: %s', async (rule, { also }) => {
    for (const name of also) {
      const failure = await testsByRule(allBroken[name]!)[rule]!().catch((error: Error) => error)
      expect([name, failure?.message]).toEqual([name, violation(rule)])
    }
  })
})

function toPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Runs the tests until one fails. */
async function firstFailureOf(makeStorage: () => PlantStorage): Promise<Error | undefined> {
  for (const run of testsOf(makeStorage)) {
    const failure = await run().then(
      () => undefined,
      (error: Error) => error,
    )
    if (failure) return failure
  }
  return undefined
}

/** Runs all tests, and returns what they throw. */
async function failuresOf(
  makeStorage: () => MaybePromise<PlantStorage>,
  options?: TestPlantStorageOptions,
): Promise<Error[]> {
  const failures: Error[] = []
  for (const run of testsOf(makeStorage, options)) {
    await run().catch((error) => void failures.push(error))
  }
  return failures
}

function testsOf(
  makeStorage: () => MaybePromise<PlantStorage>,
  options?: TestPlantStorageOptions,
): (() => Promise<void>)[] {
  return Object.values(testsByRule(makeStorage, options))
}

function testsByRule(
  makeStorage: () => MaybePromise<PlantStorage>,
  options?: TestPlantStorageOptions,
): Record<string, () => Promise<void>> {
  const tests: Record<string, () => Promise<void>> = {}
  testPlantStorage(
    {
      describe: (_, define) => define(),
      it: (rule, run) => {
        tests[rule] = run
      },
    },
    makeStorage,
    // Above the default, since some databases break off only there.
    { maxBodyBytes: 1_048_576, ...options },
  )
  return tests
}

/** Each call takes effect some time after it starts, and ends some time after that. */
function late(storage: PlantStorage): PlantStorage {
  let turn = 0
  async function later<T>(run: () => MaybePromise<T>): Promise<T> {
    for (let wait = (turn++ * 7) % 5; wait > 0; wait--) await Promise.resolve()
    const result = await run()
    for (let wait = (turn * 3) % 5; wait > 0; wait--) await Promise.resolve()
    return result
  }
  return {
    create: (owner, plant) => later(() => storage.create(owner, plant)),
    list: (owner, query) => later(() => storage.list(owner, query)),
    delete: (owner, id) => later(() => storage.delete(owner, id)),
  }
}

/** A storage whose small pages become slow when there are many plants. */
function slowing(): PlantStorage {
  const storage = sqliteStorage(':memory:')
  let count = 0
  return {
    ...storage,
    create(owner, plant) {
      count++
      return storage.create(owner, plant)
    },
    list(owner, query) {
      const end = performance.now() + (count > 50_000 && query.limit <= 100 ? 20 : 0)
      while (performance.now() < end);
      return storage.list(owner, query)
    },
  }
}
