import { INT64_MIN } from '../../lib/int64.ts'
import { isError } from '../../lib/thrown.ts'
import { assertKept, ContractViolation, show } from '../framework.ts'
import { atOnce } from '../waiting.ts'
import { createModel, type Model } from './model.ts'
import {
  type Open,
  openStorage,
  type Run,
  type StorageRules,
  type StorageUnderTest,
} from './storage-under-test.ts'

/** The most tries of one delete. */
const MAX_TRIES = 8
const FULL_PATIENCE_MS = 30_000

/**
 * Makes the function that runs one test of the contract, removes what it has created, and closes each storage that it got.
 * Once no call has returned in a whole test, the others fail at once: each would wait for a database that is down.
 */
export function createRunRule(open: Open, reopen?: Open, openSecond?: Open) {
  const run: Run = { patienceMs: FULL_PATIENCE_MS, returned: 0 }
  let down = ''

  return async (rule: string, test: StorageRules[string]): Promise<void> => {
    assertKept(!down, `Not tested, since no call of the storage returned before: ${down}`)
    const model = createModel()
    const opened: StorageUnderTest[] = []
    const problems: unknown[] = []
    const note = (error: unknown) => void problems.push(error)
    async function openNext(name: string, open: Open, reopen?: Open) {
      const storage = await openStorage(run, model, name, open, reopen)
      opened.push(storage)
      return storage
    }
    async function removeAll(): Promise<void> {
      // The test may have closed it, and opening it again may have failed.
      const usable =
        opened.find((one) => one.isOpen()) ??
        (await openNext('open', reopen ?? open).catch(() => openNext('open', open)))
      await removePlants(usable, model, run.returned > returned ? MAX_TRIES : 1)
    }

    const { returned } = run
    await openNext('open', open, reopen)
      .then((storage) => test(storage, () => openNext('openSecond', openSecond!)))
      .catch(note)
    if (opened.length > 0) await removeAll().catch((error) => problems.length === 0 && note(error))
    if (problems.length > 0 && run.returned === returned) down = messageOf(problems[0])
    for (const one of opened.toReversed()) await one.close().catch(note)
    if (problems.length > 0) throw joinProblems(problems, rule)
  }
}

/** Puts all problems into the first one, which stays on the first line. */
function joinProblems([first, ...later]: unknown[], rule: string): unknown {
  if (!(first instanceof ContractViolation)) return first
  const others = later.map((error) => `\nThen ${messageOf(error)}.`)
  first.message += `${others.join('')}\nViolated rule: ${rule}.`
  return first
}

function messageOf(error: unknown): string {
  return isError(error) ? error.message : show(error)
}

/** Deletes all plants of the test. A plant that can't be deleted breaks the contract in any test. */
async function removePlants({ unchecked }: StorageUnderTest, { tried }: Model, maxTries: number) {
  let left = [...tried].flatMap(([owner, ids]) => [...ids].map((id) => ({ owner, id })))
  let problem: unknown
  // A storage that fails now and then may be right the next time.
  for (let tries = 0; left.length > 0 && tries < maxTries; tries++) {
    const failed: typeof left = []
    await atOnce(left, async (plant) => {
      await unchecked.delete(plant.owner, plant.id).catch((error) => {
        problem ??= error
        failed.push(plant)
      })
    })
    left = failed
  }
  if (problem) throw problem
  await atOnce([...tried], async ([owner, ids]) => {
    const [first] = [...ids].sort((a, b) => (a < b ? -1 : 1))
    const after = first === INT64_MIN ? undefined : first! - 1n
    const plants = await unchecked.list(owner, { after, limit: ids.size + 1 })
    // The owner may have plants that were there before.
    const left = plants.find(({ id }) => ids.has(id))
    assertKept(!left, `list(${show(owner)}, …) returned ${show(left)}, which was deleted before`)
  })
}
