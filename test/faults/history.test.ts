import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StorageUnavailableError } from '../../src/plant-storage.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { type Call, findViolations, type Recorder, recordCalls } from './history.ts'

type Create = Extract<Call, { kind: 'create' }>
type List = Extract<Call, { kind: 'list' }>

const OWNERS = ['alice', 'bob']
const IDS = [-1n, 0n, 7n]

const timing = fc.record({
  // Turns before the call takes effect, and before its result arrives.
  before: fc.nat(4),
  after: fc.nat(4),
  // A call whose result is lost may have taken effect or not.
  outcome: fc.oneof(
    { weight: 8, arbitrary: fc.constant('known') },
    { weight: 1, arbitrary: fc.constantFrom('lost', 'never run') },
  ),
})
const action = fc.record({
  kind: fc.constantFrom('create', 'create', 'delete', 'list'),
  owner: fc.constantFrom(...OWNERS),
  id: fc.constantFrom(...IDS),
  timing,
})
const actionsOfCallers = fc.array(fc.array(action, { maxLength: 8 }), {
  minLength: 1,
  maxLength: 5,
})

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

/** Runs each caller's actions at the same time, then lists the plants of each owner. */
async function historyOf(callers: Action[][]): Promise<Call[]> {
  const storage = memoryStorage()
  let next: Action['timing']
  async function inTurns<T>(run: () => T): Promise<T> {
    const { before, after, outcome } = next
    for (let turn = 0; turn < before; turn++) await undefined
    if (outcome === 'never run') throw new StorageUnavailableError('never run')
    const result = run()
    for (let turn = 0; turn < after; turn++) await undefined
    if (outcome === 'lost') throw new StorageUnavailableError('lost')
    return result
  }
  const recorder = recordCalls({
    create: (owner, plant) => inTurns(() => storage.create(owner, plant)),
    delete: (owner, id) => inTurns(() => storage.delete(owner, id)),
    list: (owner, query) => inTurns(() => storage.list(owner, query)),
  })
  await Promise.all(
    callers.map(async (actions, caller) => {
      for (const [index, action] of actions.entries()) {
        next = action.timing
        await run(recorder, action, `${caller}.${index}`)
      }
    }),
  )
  next = { before: 0, after: 0, outcome: 'known' }
  for (const owner of OWNERS) await recorder.list(owner)
  return recorder.calls
}

function run(recorder: Recorder, { kind, owner, id }: Action, name: string): Promise<unknown> {
  if (kind === 'list') return recorder.list(owner)
  if (kind === 'delete') return recorder.delete(owner, id)
  return recorder.create(owner, { id, name })
}

/** The list of all plants that an owner had in the end. */
function finalList(calls: Call[], owner: string): List & { result: object } {
  return calls.findLast((call) => call.kind === 'list' && call.owner === owner) as never
}

/** Whether no call for the plant has an unknown outcome, so that the others decide whether it is there. */
function isCertain(calls: Call[], owner: string, id: bigint): boolean {
  return calls.every((call) => {
    const concerns = call.owner === owner && call.kind !== 'list' && idOf(call) === id
    return !concerns || call.result !== undefined
  })
}

function idOf(call: Exclude<Call, List>): bigint {
  return call.kind === 'create' ? call.plant.id : call.id
}

/** The creates of plants whose every call has a known outcome. */
function certainCreates(calls: Call[], result: boolean): Create[] {
  return calls.filter(
    (call): call is Create =>
      call.kind === 'create' &&
      call.result === result &&
      isCertain(calls, call.owner, call.plant.id),
  )
}

function replace(calls: Call[], call: Call, change: Partial<Call>): Call[] {
  return calls.map((each) => (each === call ? ({ ...call, ...change } as Call) : each))
}

/** Returns one history for each place where the fault can be planted. */
type Fault = (calls: Call[]) => Call[][]

const byId = (a: { id: bigint }, b: { id: bigint }) => (a.id < b.id ? -1 : 1)

const faults: Record<string, Fault> = {
  'an acknowledged create is lost': (calls) =>
    certainCreates(calls, true).flatMap(({ owner, plant }) => {
      const list = finalList(calls, owner)
      if (!list.result.some(({ id }) => id === plant.id)) return []
      const result = list.result.filter(({ id }) => id !== plant.id)
      return [replace(calls, list, { result })]
    }),

  'an acknowledged delete is undone': (calls) =>
    certainCreates(calls, true).flatMap(({ owner, plant }) => {
      const list = finalList(calls, owner)
      if (list.result.some(({ id }) => id === plant.id)) return []
      return [replace(calls, list, { result: [...list.result, plant].sort(byId) })]
    }),

  'a list has a plant that nobody created': (calls) =>
    lists(calls).map((list) => {
      const result = [...list.result, { id: 99n, name: 'phantom' }]
      return replace(calls, list, { result })
    }),

  'a list has a plant under a name that nobody gave it': (calls) =>
    lists(calls).flatMap((list) =>
      list.result.map((_, changed) => {
        const rename = { name: 'phantom' }
        const result = list.result.map((plant, at) =>
          at === changed ? { ...plant, ...rename } : plant,
        )
        return replace(calls, list, { result })
      }),
    ),

  'a list has another owner’s plant': (calls) =>
    lists(calls).flatMap((list) => {
      const other = finalList(calls, OWNERS.find((owner) => owner !== list.owner)!)
      return other.result
        .filter((plant) => !list.result.some(({ id }) => id === plant.id))
        .map((plant) => replace(calls, list, { result: [...list.result, plant].sort(byId) }))
    }),

  'two creates of one plant are acknowledged': (calls) =>
    certainCreates(calls, false).map((create) => replace(calls, create, { result: true })),

  'a create that took effect is refused as a duplicate': (calls) =>
    certainCreates(calls, true).map((create) => replace(calls, create, { result: false })),

  'a create is refused although its id is free': (calls) =>
    OWNERS.flatMap((owner) => {
      const { result, ended } = finalList(calls, owner)
      const free = IDS.find((id) => {
        return isCertain(calls, owner, id) && !result.some((plant) => plant.id === id)
      })
      if (free === undefined) return []
      const plant = { id: free, name: 'late' }
      const times = { began: ended + 100, ended: ended + 101 }
      return [[...calls, { kind: 'create', owner, plant, result: false, ...times }]]
    }),

  'a delete that took effect finds nothing': (calls) =>
    calls
      .filter((call) => call.kind === 'delete' && call.result === true)
      .filter((call) => isCertain(calls, call.owner, idOf(call as Exclude<Call, List>)))
      .map((call) => replace(calls, call, { result: false })),

  'a list is as old as an earlier one': (calls) =>
    lists(calls).flatMap((list) => {
      const { owner, result, ended } = finalList(calls, list.owner)
      const differs = IDS.some((id) => {
        const name = (plants: List['result']) => plants!.find((plant) => plant.id === id)?.name
        return name(list.result) !== name(result) && isCertain(calls, owner, id)
      })
      if (!differs) return []
      const stale = { kind: 'list', owner, result: list.result } as const
      return [[...calls, { ...stale, began: ended + 100, ended: ended + 101 }]]
    }),

  'a list is not in order': (calls) =>
    lists(calls)
      .filter(({ result }) => result.length > 1)
      .map((list) => replace(calls, list, { result: list.result.toReversed() })),

  'a list has a plant twice': (calls) =>
    lists(calls)
      .filter(({ result }) => result.length > 0)
      .map((list) => replace(calls, list, { result: [list.result[0]!, ...list.result] })),

  'a call fails as it must not': (calls) =>
    calls
      .filter(({ ended }) => ended === Infinity)
      .map((call) => replace(calls, call, { failure: 'Error: 500' })),
}

function lists(calls: Call[]) {
  return calls.filter(
    (call): call is List & { result: NonNullable<List['result']> } =>
      call.kind === 'list' && call.result !== undefined,
  )
}

describe('findViolations', () => {
  it('finds nothing in a history in which each call takes effect at one moment or never', async () => {
    await fc.assert(
      fc.asyncProperty(actionsOfCallers, async (callers) => {
        expect(findViolations(await historyOf(callers))).toEqual([])
      }),
    )
  })

  it.each(Object.entries(faults))(
    'finds a fault planted in such a history: %s',
    async (_, plant) => {
      let planted = 0
      await fc.assert(
        fc.asyncProperty(actionsOfCallers, async (callers) => {
          for (const faulty of plant(await historyOf(callers))) {
            expect(findViolations(faulty)).not.toEqual([])
            planted++
          }
        }),
      )
      expect(planted).toBeGreaterThan(20)
    },
  )
})
