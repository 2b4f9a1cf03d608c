import type { StoredPlant } from '../plant.ts'
import { allOf } from './all-of.ts'
import { findUnexplained, type Observation, recordHistory } from './history.ts'
import { pages } from './listing.ts'
import { type Random, random } from './random.ts'
import type { Tests } from './subject.ts'
import { ContractViolation, difference, show } from './violation.ts'

const AT_ONCE = 128

export const concurrency: Tests = {
  'of any number of concurrent creates of one id, exactly one is told true, and its plant is stored':
    async (storage) => {
      for (const id of [0n, -(2n ** 63n), 2n ** 53n + 1n]) {
        const plants = numbered(AT_ONCE, (index) => ({
          id,
          // The same plants, too, are one only.
          name: id === 0n ? 'name' : `name ${index}`,
          tag: id === 0n ? 'tag' : `tag ${index}`,
        }))
        const answers = await allOf(
          plants.map(async (plant) => {
            const created = await storage.create('alice', plant)
            // Both answers mean that there is a plant now, so the caller must see it.
            const seen = (await storage.list('alice', { limit: 10 })).some((seen) => seen.id === id)
            if (seen) return created
            throw new ContractViolation(
              `create("alice", ${show(plant)}) answered ${created}, and a list after that had no plant with that id`,
            )
          }),
        )
        const created = plants.filter((_, index) => answers[index])
        expectOne(created.length, `${AT_ONCE} concurrent creates of the id ${show(id)}`)
        const page = await storage.list('alice', { limit: 10 })
        const problem = difference(
          page.filter((plant) => plant.id === id),
          created,
        )
        if (problem) {
          throw new ContractViolation(`${show(created[0])} was told true, but list has ${problem}`)
        }
      }
    },

  'of any number of concurrent deletes of one plant, exactly one is told true': async (storage) => {
    await storage.creates('alice', { id: 1n, name: 'Aloe' }, { id: 2n, name: 'Basil' })
    const answers = await allOf(
      numbered(AT_ONCE, async () => {
        const deleted = await storage.delete('alice', 2n)
        const [, seen] = await storage.list('alice', { limit: 10 })
        if (!seen) return deleted
        throw new ContractViolation(
          `delete("alice", 2n) answered ${deleted}, and a list after that had ${show(seen)}`,
        )
      }),
    )
    expectOne(answers.filter(Boolean).length, `${AT_ONCE} concurrent deletes of one plant`)
    await storage.holds('alice', { id: 1n, name: 'Aloe' })
  },

  'concurrent calls for different plants don’t get in each other’s way': async (storage) => {
    const plants = numbered(AT_ONCE, (index) => ({ id: BigInt(index), name: `plant ${index}` }))
    await allOf(plants.map((plant) => storage.creates('alice', plant)))
    await storage.holds('alice', ...plants)
    const [gone, kept] = [plants.slice(0, AT_ONCE / 2), plants.slice(AT_ONCE / 2)]
    const added = kept.map(({ id, name }) => ({ id: id + 1000n, name, tag: 'added' }))
    await allOf([
      ...gone.map(({ id }) => storage.deletes('alice', id)),
      ...added.map((plant) => storage.creates('alice', plant)),
      ...kept.map((plant) => storage.refuses('alice', { ...plant, name: 'Usurper' })),
      ...added.map(({ id }) => storage.misses('alice', id + 1000n)),
    ])
    await storage.holds('alice', ...kept, ...added)
  },

  'concurrent creates of one id for different owners are all told true': async (storage) => {
    const owners = numbered(AT_ONCE, (index) => `owner ${index}`)
    await allOf(owners.map((owner) => storage.creates(owner, { id: 1n, name: owner })))
    await allOf(owners.map((owner) => storage.holds(owner, { id: 1n, name: owner })))
    await allOf(owners.slice(1).map((owner) => storage.deletes(owner, 1n)))
    await storage.holds(owners[0]!, { id: 1n, name: owners[0]! })
    await storage.holds(owners[1]!)
  },

  'creates and deletes of one id that race leave what their answers say': async (storage) => {
    for (let round = 0; round < 10; round++) {
      const calls = numbered(20, (index) =>
        (index + round) % 2 === 0
          ? storage.create('alice', { id: 1n, name: `${round}.${index}`, tag: `${round}.${index}` })
          : storage.delete('alice', 1n),
      )
      const answers = await allOf(calls)
      const yes = (isCreate: boolean) =>
        answers.filter((answer, index) => answer && ((index + round) % 2 === 0) === isCreate).length
      const [created, deleted] = [yes(true), yes(false)]
      const [plant] = await storage.list('alice', { limit: 10 })
      const told = `${created} creates and ${deleted} deletes of one id, on an empty storage, were told true`
      if (created - deleted !== (plant ? 1 : 0)) {
        throw new ContractViolation(
          `${told}, and then list had ${plant ? show(plant) : 'no plant'}`,
        )
      }
      if (!plant) continue
      if (plant.name !== plant.tag || !answers[Number(plant.name.split('.')[1])]) {
        throw new ContractViolation(`No create that was told true was of ${show(plant)}`)
      }
      await storage.deletes('alice', 1n)
    }
  },

  'a list read page by page has each plant that was there all the while, once': async (storage) => {
    const plants = numbered(60, (index) => ({ id: BigInt(index * 2), name: `plant ${index}` }))
    await storage.creates('alice', ...plants)
    let reading = true
    const passing = numbered(12, async (writer) => {
      const dice = random(writer)
      for (let index = writer; reading; index = (index + 12) % 60) {
        await storage.creates('alice', { id: BigInt(index * 2 + 1), name: 'passing' })
        await pause(dice)
        await storage.deletes('alice', BigInt(index * 2 + 1))
        await pause(dice)
      }
    })
    await allOf([...passing, readPages().finally(() => (reading = false))])

    async function readPages(): Promise<void> {
      const dice = random(12)
      for (const limit of [1, 7, 20, 10, 7, 5, 20, 15]) {
        const seen: StoredPlant[] = []
        for await (const page of pages(storage, 'alice', limit)) {
          seen.push(...page)
          await pause(dice)
        }
        const problem = difference(
          seen.filter(({ id }) => id % 2n === 0n),
          plants,
        )
        if (!problem) continue
        throw new ContractViolation(
          `While other plants came and went, pages of ${limit} had ${problem}`,
        )
      }
    }
  },

  'concurrent lists each have the page that was asked for': async (storage) => {
    const ids = [-111n, -11n, -1n, 0n, 1n, 2n, 11n, 12n, 111n, 112n, 1111n]
    const owners = ['a', 'a1', 'a11']
    await allOf(
      owners.map((owner) =>
        storage.creates(owner, ...ids.map((id) => ({ id, name: `${id} of ${owner}` }))),
      ),
    )
    const calls = owners.flatMap((owner) =>
      [undefined, ...ids].flatMap((after) =>
        [1, 11, 111].map((limit) => {
          const due = ids.filter((id) => after === undefined || id > after).slice(0, limit)
          const plants = due.map((id) => ({ id, name: `${id} of ${owner}` }))
          return () => storage.lists(owner, { after, limit }, plants)
        }),
      ),
    )
    await allOf(calls.map((call) => call()))
    for (const call of calls) await call()
  },

  'a list is of one moment': async (storage) => {
    const plants = numbered(40, (index) => ({ id: BigInt(index - 20), name: `plant ${index}` }))
    await storage.creates('alice', ...plants)
    // In either order, since a list that takes its time may begin at either end.
    const pairs = numbered(20, (index) => {
      const pair = [BigInt(index - 20), BigInt(19 - index)] as const
      return index % 2 === 0 ? pair : ([pair[1], pair[0]] as const)
    })
    let deleting = true
    const readers = numbered(4, (reader) => readAllTheWhile(random(reader)))
    await allOf([...readers, deletePairs(random(4)).finally(() => (deleting = false))])

    async function deletePairs(dice: Random): Promise<void> {
      for (const [first, second] of pairs) {
        await storage.deletes('alice', first)
        await storage.deletes('alice', second)
        await pause(dice)
      }
    }

    async function readAllTheWhile(dice: Random): Promise<void> {
      while (deleting) {
        const seen = new Set((await storage.list('alice', { limit: 100 })).map(({ id }) => id))
        const torn = pairs.find(([first, second]) => seen.has(first) && !seen.has(second))
        if (torn) {
          const [first, second] = torn.map(show)
          throw new ContractViolation(
            `${second} was deleted after ${first}, and a list had ${first} but not ${second}`,
          )
        }
        await pause(dice)
      }
    }
  },

  'each call takes effect at one moment between its beginning and its end': async (storage) => {
    for (const seed of [1, 2, 3]) {
      const owner = `owner ${seed}`
      const ids = [-1n, 0n, 2n ** 53n + 1n]
      const recorded = recordHistory(storage, ids)
      await allOf(
        numbered(6, async (writer) => {
          const dice = random(seed * 100 + writer)
          for (let turn = 0; turn < 15; turn++) {
            await doSomething(recorded, owner, dice.pick(ids), `${writer}.${turn}`, dice)
          }
        }),
      )
      const [unexplained] = findUnexplained(recorded.history)
      if (unexplained) throw new ContractViolation(tell(unexplained))
    }
  },
}

function doSomething(
  storage: ReturnType<typeof recordHistory>,
  owner: string,
  id: bigint,
  name: string,
  dice: Random,
): Promise<unknown> {
  const throwOfDice = dice.below(3)
  if (throwOfDice === 0) return storage.create(owner, { id, name, tag: name })
  if (throwOfDice === 1) return storage.delete(owner, id)
  return readWhole(storage, owner)
}

/** Reads plants, each of which must be as it was created. */
async function readWhole(storage: ReturnType<typeof recordHistory>, owner: string): Promise<void> {
  const half = (await storage.read(owner))?.find(({ name, tag }) => name !== tag)
  if (half) throw new ContractViolation(`list had ${show(half)}, whose tag was to be its name`)
}

/** A storage that answers at once would never let anybody else in. */
function pause(dice: Random): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, dice.below(4)))
}

function tell(history: Observation[]): string {
  const lines = history.map(({ kind, name, answer, began, ended }) => {
    if (kind === 'read') return `  ${began} to ${ended}: list had ${name ? show(name) : 'no plant'}`
    const call = kind === 'create' ? `create of ${show(name)}` : 'delete'
    return `  ${began} to ${ended}: ${call} was told ${answer}`
  })
  return ['No order explains what concurrent callers were told of one id:', ...lines].join('\n')
}

function expectOne(count: number, what: string): void {
  if (count !== 1) throw new ContractViolation(`Of ${what}, ${count} were told true`)
}

function numbered<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index))
}
