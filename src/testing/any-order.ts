import type { StoredPlant } from '../plant.ts'
import { INT64_MAX, INT64_MIN } from '../plants/int64.ts'
import { random } from './random.ts'
import type { Subject, Tests } from './subject.ts'
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

export const anyOrder: Tests = {
  'every answer follows from the calls before it, in whatever order they come': async (storage) => {
    for (const seed of [1, 2, 3, 4]) await compareWithModel(storage, seed)
  },
}

/** Calls at random, and compares each answer with that of a model. */
async function compareWithModel(storage: Subject, seed: number): Promise<void> {
  const dice = random(seed)
  const owners = OWNERS.map((owner) => `${seed}${owner}`)
  const model = new Map(owners.map((owner) => [owner, new Map<bigint, StoredPlant>()]))
  const calls: string[] = []

  for (let turn = 0; turn < 150; turn++) {
    const owner = dice.pick(owners)
    const plants = model.get(owner)!
    const id = dice.pick([...IDS, INT64_MAX])
    const kind = dice.pick(['create', 'create', 'list', 'delete'] as const)
    if (kind === 'create') {
      const plant = { id, name: `plant ${turn}`, tag: dice.pick(TAGS) }
      const due = !plants.has(id)
      compare(`create(${show(owner)}, ${show(plant)})`, await storage.create(owner, plant), due)
      if (due) plants.set(id, plant)
    } else if (kind === 'delete') {
      const answer = await storage.delete(owner, id)
      compare(`delete(${show(owner)}, ${show(id)})`, answer, plants.delete(id))
    } else {
      const after = dice.pick([undefined, id, id < INT64_MAX ? id + 1n : id])
      const page = { after, limit: 1 + dice.below(IDS.length + 2) }
      const due = [...plants.values()]
        .filter((plant) => after === undefined || plant.id > after)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, page.limit)
      calls.push(`list(${show(owner)}, ${show(page)})`)
      const problem = difference(await storage.list(owner, page), due)
      if (problem) throw violation(problem)
    }
  }
  for (const [owner, plants] of model) {
    const due = [...plants.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
    await storage.holds(owner, ...due)
  }

  function compare(call: string, answer: boolean, due: boolean): void {
    calls.push(call)
    if (answer !== due) throw violation(`${answer}, not ${due}`)
  }

  function violation(problem: string): ContractViolation {
    const last = calls.slice(-10).join('\n  ')
    return new ContractViolation(
      `The last of these calls (${calls.length} in all) answered ${problem}:\n  ${last}`,
    )
  }
}
