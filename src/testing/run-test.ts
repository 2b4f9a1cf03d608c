import { INT64_MIN } from '../lib/int64.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
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

  await test(storage, () => openNext({ opener: 'openSecond', open: openSecond!, patience })).catch(
    note,
  )
  await removePlants(storage, tried).catch((error) => problems.length === 0 && note(error))
  for (const one of opened.toReversed()) await one.close().catch(note)
  const [first, ...later] = problems
  if (first === undefined) return
  if (!(first instanceof ContractViolation)) throw first
  // The first problem stays on the first line.
  const others = later.map(
    (error) => `\nThen ${error instanceof Error ? error.message : show(error)}.`,
  )
  first.message += `${others.join('')}\nViolated rule: ${rule}.`
  throw first
}

/** Deletes all plants of the test. A plant that can't be deleted breaks the contract, whatever the test is about. */
async function removePlants(storage: StorageUnderTest, tried: TriedPlants): Promise<void> {
  const plants = [...tried].flatMap(([owner, ids]) => [...ids].map((id) => ({ owner, id })))
  await atOnce(plants, ({ owner, id }) => storage.delete(owner, id))
  await atOnce([...tried], async ([owner, ids]) => {
    const [first] = [...ids].sort((a, b) => (a < b ? -1 : 1))
    const after = first === INT64_MIN ? undefined : first! - 1n
    const plants = await storage.list(owner, { after, limit: ids.size + 1 })
    // The owner may have plants that were there before.
    const left = plants.find(({ id }) => ids.has(id))
    assertKept(!left, `list(${show(owner)}, …) returned ${show(left)}, which was deleted before`)
  })
}
