import type { StorageCall } from '../../index.ts'
import { INT64_MAX, INT64_MIN } from '../../lib/int64.ts'
import { assertKept } from '../framework.ts'
import { sleep } from '../waiting.ts'
import { difference } from './model.ts'
import { edgeCaseIds, newOwner, plantOf } from './plants.ts'
import type { StorageRules } from './storage-under-test.ts'

/** When a signal is aborted: before the call, after so many microtasks of it, or in a later turn of the event loop. */
const MOMENTS = ['before', 0, 1, 2, 3, 5, 8, 'later'] as const
/** A cache forgets within a second or two, if it is meant to. */
const IDLE_MS = 2200

/** What one call after the other must do. */
export const calls: StorageRules = {
  'create returns true for a new id, and false for a taken one, which stays': async (storage) => {
    const alice = newOwner()
    const plants = [{ ...plantOf(-1n), tag: 'a' }, plantOf(0n), plantOf(1n)]
    await storage.create(alice, ...plants)
    await storage.list(alice)
    for (const { id } of plants) {
      await storage.create(alice, ...plants.map((plant) => ({ ...plant, id })))
    }
    await storage.list(alice)
  },

  'ids are exact over the whole int64 range, also of deletes and of after': async (storage) => {
    const alice = newOwner()
    const plants = edgeCaseIds.map((id) => plantOf(id))
    await storage.create(alice, ...plants.toReversed())
    await storage.list(alice)
    await storage.reopen()
    await storage.list(alice)
    await storage.create(alice, ...plants)
    for (const after of edgeCaseIds) await storage.list(alice, { after, limit: 2 })

    // Each of them is deleted while its neighbours stay, and the first and the last plant too.
    for (const remainder of [0, 1]) {
      const gone = plants.filter((_, index) => index % 2 === remainder)
      for (let time = 0; time < 2; time++) await storage.delete(alice, ...gone.map(({ id }) => id))
      await storage.list(alice)
      await storage.create(alice, ...gone)
      await storage.list(alice)
    }
  },

  'stored plants are independent of the objects passed in and returned': async (storage) => {
    const alice = newOwner()
    const given = { id: 1n, name: 'plant 1', tag: 'a' }
    const stored = { ...given }
    await storage.create(alice, given)
    given.name += ' changed'
    given.tag += ' changed'
    const listed = await storage.list(alice)
    // A storage may freeze its results. Reflect.set then returns false instead of throwing.
    Reflect.set(listed[0]!, 'name', given.name)
    Reflect.set(listed[0]!, 'tag', given.tag)
    Reflect.set(listed, 'length', 0)

    const before = await storage.list(alice)
    await storage.delete(alice, 1n)
    await storage.create(alice, plantOf(1n, 'new'), plantOf(2n))
    await storage.list(alice)
    const problem = difference(before, [stored])
    assertKept(!problem, `A result of list changed with later calls. It then had ${problem}`)
  },

  'each method works without its last parameter, and as the first one called': async (storage) => {
    const [alice, bob] = [newOwner(), newOwner('bob')]
    await storage.delete(alice, 1n)
    const { create, list, delete: remove } = storage.unchecked
    const created = await create(bob, plantOf(1n), null)
    assertKept(created, `create without its last parameter returned ${created} for a new id`)
    const problem = difference(await list(bob, { limit: 10 }, null), [plantOf(1n)])
    assertKept(!problem, `list without its last parameter returned ${problem}`)
    const deleted = await remove(bob, 1n, null)
    assertKept(deleted, `delete without its last parameter returned ${deleted} for a plant`)
  },

  'a call whose signal is aborted throws or is right, and spoils no other': async (storage) => {
    const { create, list, delete: remove } = storage.unchecked
    for (const when of MOMENTS) {
      const alice = newOwner()
      await create(alice, plantOf(1n))
      await create(alice, plantOf(2n))
      const created = await aborting(when, (call) => create(alice, plantOf(3n), call))
      const listed = await aborting(when, (call) => list(alice, { limit: 10 }, call))
      const deleted = await aborting(when, (call) => remove(alice, 1n, call))
      const left = await list(alice, { limit: 10 })
      const has = (wanted: bigint) => left.some(({ id }) => id === wanted)
      const moment = typeof when === 'number' ? `${when} microtasks after the call` : when
      const shown = `With a signal that was aborted ${moment},`
      assertKept(created !== false, `${shown} create returned false for a new id`)
      assertKept(!created || has(3n), `${shown} create returned true, but the plant is missing`)
      assertKept(deleted !== false, `${shown} delete returned false for a plant that was there`)
      assertKept(
        !deleted || !has(1n),
        `${shown} delete returned true, but the plant is still there`,
      )
      const count = listed?.length ?? 2
      assertKept(count >= 2, `${shown} list returned ${count} plants of 2 or 3`)

      await storage.create(alice, plantOf(4n), plantOf(4n))
      await storage.delete(alice, 4n)
    }
  },

  'list returns the first limit plants with id > after, at every boundary': async (storage) => {
    const alice = newOwner()
    const ids = [INT64_MAX, 10n, 2n, 1n, 0n, -1n, -20n, INT64_MIN]
    await storage.create(alice, ...ids.map((id) => plantOf(id)))
    for (const after of [undefined, ...ids, -10n, 5n]) {
      for (const limit of [1, 2, ids.length, 2_147_483_647]) {
        await storage.list(alice, { after, limit })
      }
    }
  },

  'only the last page is short, whatever was deleted in between': async (storage) => {
    const owners = ['alice', 'bob', 'carol'].map(newOwner)
    for (let id = 0n; id < 57n; id++) {
      const owner = owners[Number(id % 3n)]!
      await storage.create(owner, plantOf(id, `${id} of ${owner}`))
    }
    const [alice = ''] = owners
    for (let id = 0n; id < 57n; id += 3n) if (id % 4n !== 0n) await storage.delete(alice, id)
    for (const limit of [1, 2, 3, 4, 5, 6]) {
      for (const after of [undefined, 0n]) await storage.list(alice, { after, limit })
    }
  },

  'list sees every completed call, also where a page or an id was used before': async (storage) => {
    const alice = newOwner()
    const list = () => storage.list(alice, { after: 0n, limit: 3 })
    const ids = [4n, 2n, 1n, 3n]
    await list()
    for (const id of ids) {
      await storage.create(alice, plantOf(id))
      await list()
    }
    for (const id of ids) {
      await storage.delete(alice, id)
      await list()
    }
    for (const plant of [{ ...plantOf(4n), tag: 'new' }, plantOf(4n)]) {
      await storage.create(alice, plant)
      await list()
      await storage.delete(alice, 4n)
    }
  },

  [`a plant stays until it is deleted, also if nobody calls the storage for ${IDLE_MS / 1000} s`]:
    async (storage) => {
      const alice = newOwner()
      await storage.create(alice, plantOf(1n), plantOf(2n))
      await storage.delete(alice, 2n)
      await sleep(IDLE_MS)
      await storage.list(alice)
      await storage.create(alice, plantOf(1n))
    },
}

/** Makes a call and aborts its signal. Resolves to undefined if the call throws. */
async function aborting<T>(
  when: (typeof MOMENTS)[number],
  method: (call: StorageCall) => Promise<T>,
): Promise<T | undefined> {
  const controller = new AbortController()
  if (when === 'before') controller.abort()
  const result = method({ signal: controller.signal }).catch(() => undefined)
  for (let count = 0; count < Number(when); count++) await undefined
  if (when === 'later') await sleep(0)
  controller.abort()
  return await result
}
