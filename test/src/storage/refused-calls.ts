import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { PlantStorage } from '../../../src/index.ts'
import { findUnexplained, type Observation } from '../../faults/linearizability.ts'

/**
 * Checks that concurrent calls stay linearizable, and that a call which the application's schema refuses has no
 * effect.
 *
 * @param open a storage whose only plant is alice's 1, `Labelled`. The schema refuses to delete it, and to create a
 *   plant with the name `bad`
 * @param refusal the messages of both refusals
 */
export async function checkRefusedCalls(
  open: () => Promise<PlantStorage>,
  refusal: RegExp,
): Promise<void> {
  const call = fc.record({
    kind: fc.constantFrom('create', 'create', 'delete', 'read') as fc.Arbitrary<
      Observation['kind']
    >,
    owner: fc.constantFrom('alice', 'bob'),
    id: fc.integer({ min: 0, max: 3 }),
    bad: fc.boolean(),
    later: fc.boolean(),
  })
  const property = fc.asyncProperty(fc.array(call, { maxLength: 24 }), async (calls) => {
    const storage = await open()
    const history: Observation[] = [
      { key: 'alice 1', kind: 'create', name: 'Labelled', result: true, began: 0, ended: 1 },
    ]
    let clock = 2
    const running: Promise<void>[] = []
    for (const { kind, owner, id, bad, later } of calls) {
      if (later) await setImmediate()
      running.push(observe(kind, owner, id, bad))
    }
    await Promise.all(running)
    for (const owner of ['alice', 'bob']) {
      for (let id = 0; id < 4; id++) await observe('read', owner, id, false)
    }
    expect(findUnexplained(history)).toEqual([])

    async function observe(kind: Observation['kind'], owner: string, id: number, bad: boolean) {
      const began = clock++
      const name = bad ? 'bad' : `${began}`
      const one = { key: `${owner} ${id}`, kind, began }
      if (kind === 'read') {
        const [found] = await storage.list(owner, { limit: 1, after: BigInt(id) - 1n })
        const read = found?.id === BigInt(id) ? found.name : undefined
        history.push({ ...one, ...(read !== undefined && { name: read }), ended: clock++ })
        return
      }
      try {
        const result = await (kind === 'create'
          ? storage.create(owner, { id: BigInt(id), name })
          : storage.delete(owner, BigInt(id)))
        history.push({ ...one, name, result, ended: clock++ })
      } catch (error) {
        // It has failed for certain, so it must have had no effect: it is left out of the history.
        expect(String(error)).toMatch(refusal)
      }
    }
  })
  await fc.assert(property, { numRuns: 15 })
}
