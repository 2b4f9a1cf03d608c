import { describe, expect, it } from 'vitest'
import { findUnexplained, type Observation } from './linearizability.ts'

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
})
