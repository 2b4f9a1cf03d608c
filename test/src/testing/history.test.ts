import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StorageUnavailableError } from '../../../src/plant-storage.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { findUnexplained, type Observation, recordHistory } from '../../../src/testing/history.ts'

type Call = Partial<Observation> & Pick<Observation, 'kind' | 'began' | 'ended'>

function isLinearizable(...history: Call[]): boolean {
  return findUnexplained(history.map((call) => ({ key: 'alice 1', ...call }))).length === 0
}

describe('findUnexplained', () => {
  it.each<[string, ...Call[]]>([
    [
      'of two concurrent creates, one returns true',
      { kind: 'create', name: 'a', result: true, began: 0, ended: 3 },
      { kind: 'create', name: 'b', result: false, began: 1, ended: 2 },
      { kind: 'read', name: 'a', began: 4, ended: 5 },
    ],
    [
      'a read during a create does not see it',
      { kind: 'create', name: 'a', result: true, began: 0, ended: 2 },
      { kind: 'read', began: 1, ended: 3 },
    ],
    [
      'a create with unknown outcome is seen much later',
      { kind: 'create', name: 'a', began: 0, ended: Infinity },
      { kind: 'read', began: 1, ended: 2 },
      { kind: 'read', name: 'a', began: 3, ended: 4 },
      { kind: 'create', name: 'b', result: false, began: 5, ended: 6 },
    ],
    [
      'a create with unknown outcome is never seen',
      { kind: 'create', name: 'a', began: 0, ended: Infinity },
      { kind: 'create', name: 'b', result: true, began: 1, ended: 2 },
      { kind: 'read', name: 'b', began: 3, ended: 4 },
    ],
    [
      'a delete with unknown outcome took effect',
      { kind: 'create', name: 'a', result: true, began: 0, ended: 1 },
      { kind: 'delete', began: 2, ended: Infinity },
      { kind: 'read', began: 3, ended: 4 },
      { kind: 'delete', result: false, began: 5, ended: 6 },
    ],
  ])('accepts a linearizable history: %s', (_, ...history) => {
    expect(isLinearizable(...history)).toBe(true)
  })

  it.each<[string, ...Call[]]>([
    [
      'two creates of one id return true',
      { kind: 'create', name: 'a', result: true, began: 0, ended: 2 },
      { kind: 'create', name: 'b', result: true, began: 1, ended: 3 },
    ],
    [
      'an acknowledged create is lost',
      { kind: 'create', name: 'a', result: true, began: 0, ended: 1 },
      { kind: 'read', began: 2, ended: 3 },
    ],
    [
      'a refused create is stored',
      { kind: 'create', name: 'a', result: false, began: 0, ended: 1 },
      { kind: 'read', name: 'a', began: 2, ended: 3 },
    ],
    [
      'a create is refused although the id is free',
      { kind: 'create', name: 'a', result: false, began: 0, ended: 1 },
    ],
    [
      'the loser’s plant is stored',
      { kind: 'create', name: 'a', result: true, began: 0, ended: 2 },
      { kind: 'create', name: 'b', result: false, began: 1, ended: 3 },
      { kind: 'read', name: 'b', began: 4, ended: 5 },
    ],
    [
      'an acknowledged delete is undone',
      { kind: 'create', name: 'a', result: true, began: 0, ended: 1 },
      { kind: 'delete', result: true, began: 2, ended: 3 },
      { kind: 'read', name: 'a', began: 4, ended: 5 },
    ],
    [
      'a later read misses what an earlier one saw',
      { kind: 'create', name: 'a', began: 0, ended: Infinity },
      { kind: 'read', name: 'a', began: 1, ended: 2 },
      { kind: 'read', began: 3, ended: 4 },
    ],
    [
      'a retried create is refused as a duplicate of itself',
      { kind: 'create', name: 'a', result: false, began: 0, ended: 5 },
      { kind: 'read', name: 'a', began: 6, ended: 7 },
    ],
  ])('reports a history that is not linearizable: %s', (_, ...history) => {
    expect(isLinearizable(...history)).toBe(false)
  })

  it('accepts every history in which each call takes effect at one moment', async () => {
    const call = fc.record({
      kind: fc.constantFrom('create', 'delete', 'read'),
      id: fc.constantFrom(0n, 1n),
      // Turns before the call takes effect, and before its result arrives unless it is lost.
      before: fc.nat(4),
      after: fc.nat(4),
      lost: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(call, { maxLength: 8 }), { maxLength: 5 }),
        async (callers) => {
          const storage = memoryStorage()
          let turn: { before: number; after: number; lost: boolean }
          const inTurns = <T>(run: () => T) => {
            const { before, after, lost } = turn
            return (async () => {
              for (let wait = before; wait > 0; wait--) await Promise.resolve()
              const result = run()
              for (let wait = after; wait > 0; wait--) await Promise.resolve()
              if (lost) throw new StorageUnavailableError('lost')
              return result
            })()
          }
          const recorded = recordHistory(
            {
              create: (owner, plant) => inTurns(() => storage.create(owner, plant)),
              delete: (owner, id) => inTurns(() => storage.delete(owner, id)),
              list: (owner, page) => inTurns(() => storage.list(owner, page)),
            },
            [0n, 1n],
          )
          await Promise.all(
            callers.map(async (calls, caller) => {
              for (const [index, { kind, id, ...timing }] of calls.entries()) {
                turn = timing
                if (kind === 'create') {
                  await recorded.create('alice', { id, name: `${caller}.${index}` })
                } else if (kind === 'delete') await recorded.delete('alice', id)
                else await recorded.read('alice')
              }
            }),
          )
          expect(findUnexplained(recorded.history)).toEqual([])
        },
      ),
    )
  })
})
