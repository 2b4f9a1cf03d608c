import { lookAlikes } from './look-alikes.ts'
import type { Tests } from './subject.ts'
import { ContractViolation, show } from './violation.ts'

export const owners: Tests = {
  'owners are compared exactly: look-alikes have plants of their own': async (storage) => {
    const plants = lookAlikes.map((owner, index) => ({ id: 1n, name: `plant ${index}`, owner }))
    for (const { owner, id, name } of plants) {
      if (await storage.create(owner, { id, name })) continue
      throw new ContractViolation(
        `create(${show(owner)}, { id: 1n, … }) answered false, since some owner that looks like it had that id`,
      )
    }
    for (const { owner, id, name } of plants) await storage.holds(owner, { id, name })
    for (const [index, { owner }] of plants.entries()) {
      if (index % 2 === 0) await storage.deletes(owner, 1n)
    }
    for (const [index, { owner, id, name }] of plants.entries()) {
      if (index % 2 === 0) {
        await storage.holds(owner)
      } else {
        await storage.holds(owner, { id, name })
        await storage.deletes(owner, id)
      }
    }
  },

  'owner and id together are the key: no two of them are one by being written together': async (
    storage,
  ) => {
    const keys: [string, bigint][] = [
      ...(['a', 'a1', 'a11', 'a-', 'a-1', '1', '11', '-', '1-'] as const).flatMap((owner) =>
        [1n, 11n, 111n, -1n, -11n].map((id): [string, bigint] => [owner, id]),
      ),
      ...(
        [':', '/', '|', ',', '#', '.', '_', ' ', '-', '\u0001', '\u001f', '\uffff'] as const
      ).flatMap((separator): [string, bigint][] => [
        [`b${separator}1`, 2n],
        [`b${separator}1${separator}`, 2n],
        [`b${separator}`, 12n],
        [`b`, 1n],
        [`2${separator}b`, 1n],
      ]),
    ]
    const plantsOf = new Map<string, Map<bigint, string>>()
    for (const [owner, id] of keys) {
      const plants = plantsOf.get(owner) ?? new Map<bigint, string>()
      plantsOf.set(owner, plants)
      if (plants.has(id)) continue
      const name = `${id} of ${owner}`
      await storage.creates(owner, { id, name })
      plants.set(id, name)
    }
    for (const [owner, plants] of plantsOf) {
      const due = [...plants].map(([id, name]) => ({ id, name }))
      await storage.holds(owner, ...due.sort((a, b) => Number(a.id - b.id)))
    }
  },

  'nobody sees, blocks or deletes another owner’s plant': async (storage) => {
    await storage.creates('alice', { id: 1n, name: 'Alice’s', tag: 'a' }, { id: 2n, name: 'Fern' })
    await storage.holds('bob')
    await storage.misses('bob', 1n)
    await storage.creates('bob', { id: 1n, name: 'Bob’s' })
    await storage.misses('bob', 2n)
    await storage.holds('bob', { id: 1n, name: 'Bob’s' })
    await storage.deletes('bob', 1n)
    await storage.misses('bob', 1n)
    await storage.holds('bob')
    await storage.holds('alice', { id: 1n, name: 'Alice’s', tag: 'a' }, { id: 2n, name: 'Fern' })
  },
}
