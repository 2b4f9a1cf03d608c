import { INT64_MIN } from '../lib/int64.ts'
import type { MaybePromise } from '../lib/promises.ts'
import { isError } from '../lib/thrown.ts'
import type { PlantStorage } from '../plant-storage.ts'
import { atOnce } from './at-once.ts'
import {
  type ContractTests,
  openStorage,
  type Patience,
  type StorageUnderTest,
  type TriedPlants,
} from './storage-under-test.ts'
import { assertKept, ContractViolation, show } from './violation.ts'

/** The functions of the user that return a storage. */
export interface StorageOpeners {
  readonly open: () => MaybePromise<PlantStorage>
  readonly reopen?: (() => MaybePromise<PlantStorage>) | undefined
  readonly openSecond?: (() => MaybePromise<PlantStorage>) | undefined
  readonly patience: Patience
}

/** The most tries of one delete. */
const MAX_TRIES = 8
/** A storage that has failed this often without deleting anything is given up. */
const MAX_FAILURES = 200

/** Runs one test of the contract, removes what it has created, and closes each storage that it got. */
export async function runTest(
  rule: string,
  test: ContractTests[string],
  { open, reopen, openSecond, patience }: StorageOpeners,
): Promise<void> {
  const tried: TriedPlants = new Map()
  const opened: StorageUnderTest[] = []
  async function openNext(openers: Parameters<typeof openStorage>[0]) {
    const storage = await openStorage(openers, tried)
    opened.push(storage)
    return storage
  }
  const storage = await openNext({ opener: 'open', open, reopen, patience })
  const problems: unknown[] = []
  const note = (error: unknown) => void problems.push(error)

  async function removeAll(): Promise<void> {
    // The test may have closed it, and opening it again may have failed.
    const openAgain = (open: StorageOpeners['open']) => openNext({ opener: 'open', open, patience })
    const usable =
      opened.find((one) => one.isOpen()) ??
      (await openAgain(reopen ?? open).catch(() => openAgain(open)))
    await removePlants(usable, tried)
  }

  await test(storage, () => openNext({ opener: 'openSecond', open: openSecond!, patience })).catch(
    note,
  )
  await removeAll().catch((error) => problems.length === 0 && note(error))
  for (const one of opened.toReversed()) await one.close().catch(note)

  const [first, ...later] = problems
  if (first === undefined) return
  if (!(first instanceof ContractViolation)) throw first
  // The first problem stays on the first line.
  const others = later.map((error) => `\nThen ${isError(error) ? error.message : show(error)}.`)
  first.message += `${others.join('')}\nViolated rule: ${rule}.`
  throw first
}

/** Deletes all plants of the test. A plant that can't be deleted breaks the contract, whatever the test is about. */
async function removePlants(storage: StorageUnderTest, tried: TriedPlants): Promise<void> {
  let left = [...tried].flatMap(([owner, ids]) => [...ids].map((id) => ({ owner, id })))
  let problem: unknown
  // A storage that fails now and then may be right the next time.
  for (let tries = 0; left.length > 0 && tries < MAX_TRIES; tries++) {
    const failed: typeof left = []
    let deleted = 0
    await atOnce(left, async (plant) => {
      if (deleted === 0 && failed.length >= MAX_FAILURES) return
      try {
        await storage.delete(plant.owner, plant.id)
        deleted++
      } catch (error) {
        problem ??= error
        failed.push(plant)
      }
    })
    left = failed
  }
  if (problem) throw problem
  await atOnce([...tried], async ([owner, ids]) => {
    const [first] = [...ids].sort((a, b) => (a < b ? -1 : 1))
    const after = first === INT64_MIN ? undefined : first! - 1n
    const plants = await storage.list(owner, { after, limit: ids.size + 1 })
    // The owner may have plants that were there before.
    const left = plants.find(({ id }) => ids.has(id))
    assertKept(!left, `list(${show(owner)}, …) returned ${show(left)}, which was deleted before`)
  })
}
