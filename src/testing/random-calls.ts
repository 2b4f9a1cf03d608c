import { INT64_MAX, INT64_MIN } from '../lib/int64.ts'
import type { StoredPlant } from '../plant.ts'
import { random } from './random.ts'
import type { ContractTests, StorageUnderTest } from './storage-under-test.ts'
import { ContractViolation, difference, show } from './violation.ts'

const OWNERS = ['alice', 'Alice', 'alice ', 'bob']
const IDS = [
  INT64_MIN,
  -(2n ** 53n) - 1n,
  -10n,
  -9n,
  -1n,
  0n,
  1n,
  9n,
  10n,
  2n ** 53n,
  2n ** 53n + 1n,
]
const TAGS = [undefined, '', 'indoor', 'null']

export const randomCalls: ContractTests = {
  'random sequences of calls return what a simple model returns': async (storage) => {
    for (const seed of [1, 2, 3, 4]) await compareWithModel(storage, seed)
  },
}

/** Makes random calls, and compares each result with that of a model. */
async function compareWithModel(storage: StorageUnderTest, seed: number): Promise<void> {
  const numbers = random(seed)
  const owners = OWNERS.map((owner) => `${seed}${owner}`)
  const model = new Map(owners.map((owner) => [owner, new Map<bigint, StoredPlant>()]))
  const calls: string[] = []

  for (let turn = 0; turn < 150; turn++) {
    const owner = numbers.pick(owners)
    const plants = model.get(owner)!
    const id = numbers.pick([...IDS, INT64_MAX])
    const kind = numbers.pick(['create', 'create', 'list', 'delete'] as const)
    if (kind === 'create') {
      const plant = { id, name: `plant ${turn}`, tag: numbers.pick(TAGS) }
      const expected = !plants.has(id)
      compare(
        `create(${show(owner)}, ${show(plant)})`,
        await storage.create(owner, plant),
        expected,
      )
      if (expected) plants.set(id, plant)
    } else if (kind === 'delete') {
      const result = await storage.delete(owner, id)
      compare(`delete(${show(owner)}, ${show(id)})`, result, plants.delete(id))
    } else {
      const after = numbers.pick([undefined, id, id < INT64_MAX ? id + 1n : id])
      const query = { after, limit: 1 + numbers.below(IDS.length + 2) }
      const expected = [...plants.values()]
        .filter((plant) => after === undefined || plant.id > after)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, query.limit)
      calls.push(`list(${show(owner)}, ${show(query)})`)
      const problem = difference(await storage.list(owner, query), expected)
      if (problem) throw violation(problem)
    }
  }
  for (const [owner, plants] of model) {
    const expected = [...plants.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
    await storage.mustListAll(owner, ...expected)
  }

  function compare(call: string, result: boolean, expected: boolean): void {
    calls.push(call)
    if (result !== expected) throw violation(`${result}, expected ${expected}`)
  }

  function violation(problem: string): ContractViolation {
    const latest = calls.slice(-10).join('\n  ')
    return new ContractViolation(
      `Call ${calls.length} of a random sequence returned ${problem}. The latest calls up to it:\n  ${latest}`,
    )
  }
}
