import type { StorageCall } from '../plant-storage.ts'
import { edgeCaseIds } from './edge-case-ids.ts'
import { newOwner } from './new-owner.ts'
import { type ContractTests, plantOf } from './storage-under-test.ts'
import { assertKept, difference } from './violation.ts'

/** When a signal is aborted: before the call, after so many microtasks of it, or in a later turn of the event loop. */
const MOMENTS = ['before', 0, 1, 2, 3, 5, 8, 'later'] as const
type Moment = (typeof MOMENTS)[number]

export const creating: ContractTests = {
  'create returns true for a new id; for a taken one it returns false and changes nothing': async (
    storage,
  ) => {
    const alice = newOwner()
    const plants = [{ ...plantOf(-1n), tag: 'a' }, plantOf(0n), plantOf(1n)]
    await storage.mustCreate(alice, ...plants)
    await storage.mustListAll(alice, ...plants)
    for (const { id } of plants) {
      for (const plant of plants) await storage.mustNotCreate(alice, { ...plant, id })
    }
    await storage.mustListAll(alice, ...plants)
  },

  'ids are exact over the whole int64 range': async (storage) => {
    const alice = newOwner()
    const plants = edgeCaseIds.map(plantOf)
    await storage.mustCreate(alice, ...plants.toReversed())
    await storage.mustListAll(alice, ...plants)
    await storage.reopen()
    await storage.mustListAll(alice, ...plants)
    for (const plant of plants) await storage.mustNotCreate(alice, plant)

    // Each of them is deleted beside neighbours that stay, and the first and the last plant too.
    for (const remainder of [0, 1]) {
      const kept = plants.filter((_, index) => index % 2 !== remainder)
      const gone = plants.filter((_, index) => index % 2 === remainder)
      for (const { id } of gone) await storage.mustDelete(alice, id)
      for (const { id } of gone) await storage.mustNotDelete(alice, id)
      await storage.mustListAll(alice, ...kept)
      await storage.mustCreate(alice, ...gone)
      await storage.mustListAll(alice, ...plants)
    }
  },

  'stored plants are independent of the objects passed in and returned': async (storage) => {
    const alice = newOwner()
    const given = { ...plantOf(1n), tag: 'a' }
    const stored = { ...given }
    await storage.mustCreate(alice, given)
    given.name += ' changed'
    given.tag += ' changed'
    await storage.mustListAll(alice, stored)

    const listed = await storage.list(alice, { limit: 10 })
    // A storage may freeze its results. Reflect.set then returns false instead of throwing.
    Reflect.set(listed[0]!, 'name', given.name)
    Reflect.set(listed[0]!, 'tag', given.tag)
    Reflect.set(listed, 'length', 0)
    await storage.mustListAll(alice, stored)

    const before = await storage.list(alice, { limit: 10 })
    await storage.mustDelete(alice, 1n)
    await storage.mustCreate(alice, { id: 1n, name: 'new' }, plantOf(2n))
    await storage.list(alice, { limit: 10 })
    const problem = difference(before, [stored])
    assertKept(!problem, `A result of list changed with later calls. It then had ${problem}`)
  },

  'each method works without its last parameter, and as the first one called': async (storage) => {
    const [alice, bob] = [newOwner(), newOwner('bob')]
    await storage.mustNotDelete(alice, 1n)
    const created = await storage.create(bob, plantOf(1n), null)
    assertKept(created, `create without its last parameter returned ${created} for a new id`)
    const problem = difference(await storage.list(bob, { limit: 10 }, null), [plantOf(1n)])
    assertKept(!problem, `list without its last parameter returned ${problem}`)
    const deleted = await storage.delete(bob, 1n, null)
    assertKept(deleted, `delete without its last parameter returned ${deleted} for a plant`)
  },

  'a call whose signal is aborted throws or is right, and spoils no other': async (storage) => {
    for (const when of MOMENTS) {
      const alice = newOwner()
      await storage.mustCreate(alice, plantOf(1n), plantOf(2n))

      const created = await aborting(when, (call) => storage.create(alice, plantOf(3n), call))
      const listed = await aborting(when, (call) => storage.list(alice, { limit: 10 }, call))
      const deleted = await aborting(when, (call) => storage.delete(alice, 1n, call))
      const plants = await storage.list(alice, { limit: 10 })
      const [has1, has3] = [1n, 3n].map((id) => plants.some((plant) => plant.id === id))
      const shown = (method: string, result: unknown) =>
        `With a signal that was aborted ${showMoment(when)}, ${method} returned ${result}`
      assertKept(created !== false, `${shown('create', created)} for a new id`)
      assertKept(!created || has3!, `${shown('create', created)}, but the plant is missing`)
      assertKept(deleted !== false, `${shown('delete', deleted)} for a plant that was there`)
      assertKept(!deleted || !has1, `${shown('delete', deleted)}, but the plant is still there`)
      const count = listed?.length ?? 2
      assertKept(count >= 2, shown('list', `${count} plants of 2 or 3`))

      await storage.mustCreate(alice, plantOf(4n))
      await storage.mustNotCreate(alice, plantOf(4n))
      await storage.mustDelete(alice, 2n)
    }
  },
}

/** Makes a call and aborts its signal. Resolves to undefined if the call throws. */
async function aborting<T>(
  when: Moment,
  method: (call: StorageCall) => Promise<T>,
): Promise<T | undefined> {
  const controller = new AbortController()
  if (when === 'before') controller.abort()
  const result = method({ signal: controller.signal }).catch(() => undefined)
  for (let count = 0; count < Number(when); count++) await undefined
  if (when === 'later') await new Promise((resolve) => setTimeout(resolve))
  controller.abort()
  return await result
}

function showMoment(when: Moment): string {
  return typeof when === 'number' ? `${when} microtasks after the call` : when
}
