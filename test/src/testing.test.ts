import { describe, expect, it, vi } from 'vitest'
import type { MaybePromise } from '../../src/lib/promises.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import {
  type TestFramework,
  type TestPlantStorageOptions,
  testPlantStorage,
} from '../../src/testing.ts'
import { failureOf } from '../shared/failure-of.ts'
import { testsOf } from '../shared/tests-of.ts'
import { brokenStorages, openers } from './testing/broken-storages.ts'
import { fileStorage, storageOf } from './testing/storage-of.ts'

const { open: openFile, ...again } = fileStorage()
testPlantStorage({ describe, it }, openFile, { ...again, manyPlants: 100 })

/** What a failure says, for broken storages whose names say that. */
const explanations: Record<string, string> = {
  'list returns undefined': '4 }) returned undefined: the result must be an array',
  'list returns ids as numbers':
    'the id of { id: -1, name: "plant -1", tag: "a" } must be a bigint',
  'list returns names as bytes': 'tag: "a" } must be a string',
  'list returns missing tags as null': 'tag: null } must be a string or undefined',
  'list modifies the query': ' }) modified the object that was passed to it',
  'limit is ignored': ' plants are more than limit',
  'after 0 is ignored':
    'ids must be ascending, and greater than after; got -9223372036854775808n at index 0',
  'list is ordered by decimal text': 'ids must be ascending, and greater than after; got ',
  'delete always returns true': ') returned true although "',
  'delete always returns false': ') returned false although "',
  'owners are refused if longer than 1403 bytes': 'threw Error: Data too long',
  'create returns false before the other plant is stored':
    'A concurrent create of one id returned false, but a list after that had 0 plants',
  'list reads ids, then the plants that still exist': ': the page ends early, since { id: ',
  'list selects by the prefix owner and "!"': '-alice!1bob" } must not be in it',
  'ids are doubles in the file': 'After close() and reopen(), list(',
  'creates look in a cache of their own':
    'Of 4 concurrent creates of one id through 2 instances, 2 returned true, expected 1',
}

describe.concurrent('testPlantStorage catches', { timeout: 300_000 }, () => {
  const bugs = Object.entries(brokenStorages).flatMap(([rule, broken]) =>
    Object.entries(broken).map(([name, storage]) => ({ rule, name, storage })),
  )

  it.each(bugs)('$name', async ({ rule, name, storage }) => {
    const { open, ...options } = openers(storage)
    const { title, run } = rulesOf(open, options).find(({ title }) => title.startsWith(rule))!
    const failure = await failureOf(run())
    expect(failure?.message).toMatch(/^[^\n]+\n/)
    expect(failure?.message).toContain(`\nViolated rule: ${title}.`)
    expect(failure?.message.split('\n')[0]).toContain(explanations[name] ?? '')
  })

  it('something by each rule', () => {
    const uncaught = rulesOf(openFile, again).filter(
      ({ title }) => !Object.keys(brokenStorages).some((rule) => title.startsWith(rule)),
    )
    expect(uncaught).toEqual([])
  })
})

describe.concurrent('testPlantStorage', { timeout: 300_000 }, () => {
  it('reports the call, its result and the violated rule', async ({ expect }) => {
    const [failure] = await failuresOf(() => ({ ...storageOf(), create: () => true }))
    expect(failure?.message.replace(/test-\w+\.\d+/, 'test-…')).toMatchInlineSnapshot(`
      "list("test-…-alice", { limit: 4 }) returned 0 plants: the page ends early, since { id: -1n, name: "plant -1", tag: "a" } follows: only the last page may have fewer plants than limit
      Violated rule: create returns true for a new id, and false for a taken one, which stays."
    `)
  })

  it('shows the first problem first, also if close and the removal fail after it', async () => {
    const [failure] = await failuresOf(() => ({
      ...storageOf(),
      create: () => 1 as unknown as boolean,
      delete: () => Promise.reject(new Error('gone')),
      close: () => Promise.reject(new Error('is closed')),
    }))
    expect(failure?.message).toMatch(
      /^create\(.*\) returned 1: the result must be true or false\nThen close\(\) threw Error: is closed\.\nViolated rule: create returns .*\.$/,
    )
  })

  it('passes a storage that has plants and refuses owners of 1405 bytes, and leaves its plants as they are', async () => {
    const storage = storageOf({ ownerKey: refusing(1404) })
    const owners = ['alice', 'bob', 'Alice', 'a', '*', '__proto__', ' ', 'null', '1']
    const ids = [-(2n ** 63n), -1n, 0n, 1n, 2n, 2n ** 63n - 1n]
    for (const owner of owners) {
      for (const id of ids) storage.create(owner, { id, name: `${id} of ${owner}` })
    }
    const before = new Map(storage.rows)
    expect(await failuresOf(() => storage)).toEqual([])
    expect(storage.rows).toEqual(before)
  })

  it('removes what it has created also where a rule is broken, opening again fails, and every tenth delete', async () => {
    const storage = storageOf({ compare: (a, b) => (a < b ? 1 : -1) })
    storage.create('alice', { id: 1n, name: 'Fern' })
    let deletes = 0
    const remove: PlantStorage['delete'] = (owner, id) => {
      if (++deletes % 10 === 0) throw new Error('deadlock')
      return storage.delete(owner, id)
    }
    function reopen(): never {
      throw new Error('database is locked')
    }
    const before = new Map(storage.rows)
    expect(await failuresOf(() => ({ ...storage, delete: remove }), { reopen })).not.toEqual([])
    expect(storage.rows).toEqual(before)
  })

  it('catches a plant that cannot be deleted by any rule that creates one', async () => {
    const storage = storageOf()
    const remove: PlantStorage['delete'] = (owner, id) =>
      storage.get(owner, id)?.name !== '{"id":1}' && storage.delete(owner, id)
    const failures = await failuresOf(() => ({ ...storage, delete: remove }))
    expect(failures.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^list\(".*", …\) returned \{ .* \}, which was deleted before\n.*names/,
      ),
    ])
  })

  it('says what is not proved', () => {
    const skip = vi.fn()
    const it = Object.assign(() => {}, { skip })
    const framework: TestFramework = { describe: (_, define) => define(), it }
    testPlantStorage(framework, memoryStorage, again)
    expect(skip).not.toHaveBeenCalled()
    testPlantStorage(framework, memoryStorage)
    const skipped = skip.mock.calls.map(([title]) => ({ title }))
    expect(skipped).toEqual([
      { title: 'NOT PROVED: plants persist: pass { reopen }' },
      { title: 'NOT PROVED: several instances may share the data: pass { openSecond }' },
    ])
    expect(rulesOf(memoryStorage).slice(-2)).toMatchObject(skipped)
  })

  it('passes a storage that holds small values, if it is told how small', async () => {
    const open = () =>
      storageOf({ write: (plant) => ({ ...plant, name: refusing(9950)(plant.name) }) })
    expect(await failuresOf(open, { maxBodyBytes: 10_000 })).toEqual([])
  })

  it('closes every storage that it gets once, also after a failed test', async () => {
    const open = new Set<PlantStorage>()
    let twice = 0
    function opened(): PlantStorage {
      const storage: PlantStorage = {
        ...storageOf({ isAfter: () => true }),
        close: () => void (open.delete(storage) || twice++),
      }
      open.add(storage)
      return storage
    }
    const failures = await failuresOf(opened, { reopen: opened, openSecond: opened })
    expect([failures.length > 0, open.size, twice]).toEqual([true, 0, 0])
  })

  it.each<[wrong: string, args: unknown[], message: string]>([
    ['no framework', [], 'takes functions; got undefined as describe'],
    ['a storage', [{ describe() {}, it() {} }, memoryStorage()], 'got an object as open'],
    [
      'an unknown option',
      withOptions({ manyPlant: 1 }),
      'Storage has no option manyPlant; the options',
    ],
    ['too few plants', withOptions({ manyPlants: 99 }), 'must be a whole number from 100 to '],
  ])('rejects %s', (_, args, message) => {
    expect(() => (testPlantStorage as (...args: unknown[]) => void)(...args)).toThrow(message)
  })

  it.each<[notStorage: unknown, shown: string]>([
    [undefined, 'undefined'],
    [{ create() {}, list: undefined }, 'an object without list()'],
  ])('rejects %s as a storage', async (notStorage, shown) => {
    const [failure] = await failuresOf(() => notStorage as PlantStorage)
    const expected = 'open must return a storage with the methods create, list and delete'
    expect(failure?.message).toBe(`${expected}; got ${shown}`)
  })
})

describe('testPlantStorage', () => {
  it.each<[when: string, call: () => Promise<never>, problem: RegExp]>([
    ['hangs', () => new Promise(() => {}), /^create\((?!.*threw).*\) did not return within 30 s\n/],
    [
      'refuses',
      () => Promise.reject(new Error('ECONNREFUSED')),
      /^create\(.*\) threw Error: ECONN/,
    ],
  ])('ends soon if a database %s every call', async (_, call, problem) => {
    vi.useFakeTimers()
    try {
      const down = vi.fn(call)
      const run = failuresOf(() => ({ create: down, list: down, delete: down }))
      await vi.advanceTimersByTimeAsync(32_000)
      const [first, ...others] = await run
      expect(first?.message).toMatch(problem)
      expect(others.length).toBeGreaterThan(15)
      for (const { message } of others) {
        expect(message).toMatch(/^Not tested, since no call of the storage returned before: create/)
      }
      expect(down.mock.calls.length).toBeLessThan(5)
    } finally {
      vi.useRealTimers()
    }
  })
})

function withOptions(options: object): unknown[] {
  return [{ describe() {}, it() {} }, memoryStorage, options]
}

/** Throws for a text of more bytes. */
const refusing = (bytes: number) => (text: string) => {
  if (Buffer.byteLength(text) > bytes) throw new Error('Data too long')
  return text
}

/** Runs all tests, and returns what they throw. */
async function failuresOf(
  open: () => MaybePromise<PlantStorage>,
  options?: TestPlantStorageOptions,
): Promise<Error[]> {
  const failures: Error[] = []
  for (const { run } of rulesOf(open, options)) {
    await run().catch((error) => void failures.push(error))
  }
  return failures
}

function rulesOf(open: () => MaybePromise<PlantStorage>, options?: TestPlantStorageOptions) {
  return testsOf((framework) => testPlantStorage(framework, open, options))
}
