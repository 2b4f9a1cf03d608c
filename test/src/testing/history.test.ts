import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StorageUnavailableError } from '../../../src/plant-storage.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { findUnexplained, type Observation, recordHistory } from '../../../src/testing/history.ts'

type Told = Partial<Observation> & Pick<Observation, 'kind' | 'began' | 'ended'>

function isExplained(...history: Told[]): boolean {
  return findUnexplained(history.map((told) => ({ key: 'alice 1', ...told }))).length === 0
}

describe('a history', () => {
  it.each<[string, ...Told[]]>([
    [
      'two creates at once, of which one is told true',
      { kind: 'create', name: 'a', answer: true, began: 0, ended: 3 },
      { kind: 'create', name: 'b', answer: false, began: 1, ended: 2 },
      { kind: 'read', name: 'a', began: 4, ended: 5 },
    ],
    [
      'a read that began before a create ended, and doesn’t see it',
      { kind: 'create', name: 'a', answer: true, began: 0, ended: 2 },
      { kind: 'read', began: 1, ended: 3 },
    ],
    [
      'a create with unknown outcome that is seen much later',
      { kind: 'create', name: 'a', began: 0, ended: Infinity },
      { kind: 'read', began: 1, ended: 2 },
      { kind: 'read', name: 'a', began: 3, ended: 4 },
      { kind: 'create', name: 'b', answer: false, began: 5, ended: 6 },
    ],
    [
      'a create with unknown outcome that is never seen',
      { kind: 'create', name: 'a', began: 0, ended: Infinity },
      { kind: 'create', name: 'b', answer: true, began: 1, ended: 2 },
      { kind: 'read', name: 'b', began: 3, ended: 4 },
    ],
    [
      'a delete with unknown outcome that took effect',
      { kind: 'create', name: 'a', answer: true, began: 0, ended: 1 },
      { kind: 'delete', began: 2, ended: Infinity },
      { kind: 'read', began: 3, ended: 4 },
      { kind: 'delete', answer: false, began: 5, ended: 6 },
    ],
  ])('is explained: %s', (_, ...history) => {
    expect(isExplained(...history)).toBe(true)
  })

  it.each<[string, ...Told[]]>([
    [
      'two creates of one id are told true',
      { kind: 'create', name: 'a', answer: true, began: 0, ended: 2 },
      { kind: 'create', name: 'b', answer: true, began: 1, ended: 3 },
    ],
    [
      'an acknowledged create is lost',
      { kind: 'create', name: 'a', answer: true, began: 0, ended: 1 },
      { kind: 'read', began: 2, ended: 3 },
    ],
    [
      'a refused create is there',
      { kind: 'create', name: 'a', answer: false, began: 0, ended: 1 },
      { kind: 'read', name: 'a', began: 2, ended: 3 },
    ],
    [
      'a create is refused although there is none',
      { kind: 'create', name: 'a', answer: false, began: 0, ended: 1 },
    ],
    [
      'the loser’s plant is stored',
      { kind: 'create', name: 'a', answer: true, began: 0, ended: 2 },
      { kind: 'create', name: 'b', answer: false, began: 1, ended: 3 },
      { kind: 'read', name: 'b', began: 4, ended: 5 },
    ],
    [
      'an acknowledged delete is undone',
      { kind: 'create', name: 'a', answer: true, began: 0, ended: 1 },
      { kind: 'delete', answer: true, began: 2, ended: 3 },
      { kind: 'read', name: 'a', began: 4, ended: 5 },
    ],
    [
      'what one read saw, a later one doesn’t',
      { kind: 'create', name: 'a', began: 0, ended: Infinity },
      { kind: 'read', name: 'a', began: 1, ended: 2 },
      { kind: 'read', began: 3, ended: 4 },
    ],
    [
      'a create that was tried again is told to be a duplicate of itself',
      { kind: 'create', name: 'a', answer: false, began: 0, ended: 5 },
      { kind: 'read', name: 'a', began: 6, ended: 7 },
    ],
  ])('is not explained: %s', (_, ...history) => {
    expect(isExplained(...history)).toBe(false)
  })

  it('is explained, whatever calls come in whatever order, if each took effect at some moment', async () => {
    const call = fc.record({
      kind: fc.constantFrom('create', 'delete', 'read'),
      id: fc.constantFrom(0n, 1n),
      // How many turns the call waits before it takes effect, and before its answer comes, if it does.
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
              const answer = run()
              for (let wait = after; wait > 0; wait--) await Promise.resolve()
              if (lost) throw new StorageUnavailableError('lost')
              return answer
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
