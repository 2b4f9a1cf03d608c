import type { StorageCall } from '../../index.ts'
import { INT64_MAX, INT64_MIN } from '../../lib/int64.ts'
import { assertKept, show } from '../framework.ts'
import { settleAll, sleep } from '../waiting.ts'
import { difference } from './model.ts'
import { edgeCaseIds, newOwner, numbered, plantOf } from './plants.ts'
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
      const story = `With a signal that was aborted ${moment}, create of plant 3 returned ${created}, list ${show(listed)}, and delete of plant 1 ${deleted}`
      const isCreated = created === undefined || (created && has(3n))
      const isDeleted = deleted === undefined || (deleted && !has(1n))
      const isListed = listed === undefined || listed.length >= 2
      assertKept(isCreated && isDeleted && isListed, `${story}. Then list returned ${show(left)}`)

      await storage.create(alice, plantOf(4n), plantOf(4n))
      await storage.delete(alice, 4n)
    }
  },

  'list returns the first limit plants with id > after, also many at once': async (storage) => {
    const base = newOwner()
    const owners = [base, `${base}1`]
    const ids = [INT64_MIN, -111n, -20n, -11n, -1n, 0n, 1n, 2n, 10n, 11n, 111n, INT64_MAX]
    const gone = numbered(12, (index) => BigInt(index + 20))
    for (const owner of owners) {
      await storage.create(owner, ...[...gone, ...ids].map((id) => plantOf(id, `of ${owner}`)))
    }
    // A page is never short because of what was deleted or belongs to others.
    await storage.delete(base, ...gone)
    const queries = [undefined, ...ids, -10n, 5n].flatMap((after) =>
      [1, 2, 11, 111, 2_147_483_647].map((limit) => ({ after, limit })),
    )
    await settleAll(owners.flatMap((owner) => queries.map((query) => storage.list(owner, query))))
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
      // Some storages prepare themselves with the first call, which a delete may be.
      await storage.delete(alice, 1n)
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
