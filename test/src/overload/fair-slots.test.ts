import { describe, expect, it } from 'vitest'
import { createFairSlots } from '../../../src/overload/fair-slots.ts'

/** Takes slots for an owner until none is free. Returns how many. */
function takeAll(slots: ReturnType<typeof createFairSlots>, owner: string | undefined): number {
  let taken = 0
  for (; slots.isFree(owner); taken++) slots.take(owner)
  return taken
}

describe('Of the slots', () => {
  it.each([
    [1, 1],
    [2, 1],
    [8, 7],
    [16, 14],
    [80, 70],
  ])('%i leave %i to an owner who comes first', (current, most) => {
    const slots = createFairSlots({ current })
    expect(takeAll(slots, 'alice')).toBe(most)
  })

  it('all go to calls without an owner', () => {
    expect(takeAll(createFairSlots({ current: 16 }), undefined)).toBe(16)
  })

  it('the last is for an owner who holds none', () => {
    const slots = createFairSlots({ current: 16 })
    takeAll(slots, 'alice')
    expect(takeAll(slots, 'bob')).toBe(1)
    expect(takeAll(slots, 'carol')).toBe(1)
    expect(slots.isFree('dave')).toBe(false)
  })

  /** The slots of 16, of which owners have taken so many. */
  function taken(counts: Record<string, number>) {
    const slots = createFairSlots({ current: 16 })
    for (const [owner, count] of Object.entries(counts)) {
      for (let i = 0; i < count; i++) slots.take(owner)
    }
    return slots
  }

  it.each([
    [{ alice: 3, bob: 6, carol: 5 }, true],
    [{ alice: 4, bob: 5, carol: 5 }, false],
    [{ alice: 5, bob: 9 }, true],
    [{ alice: 6, bob: 8 }, false],
  ])('the last but one is for an owner below a fair share: %j, alice: %s', (counts, expected) => {
    expect(taken(counts).isFree('alice')).toBe(expected)
  })

  it.each([
    [{ alice: 5, bob: 9, carol: 1 }, ['carol'], true],
    [{ alice: 6, bob: 9 }, ['alice'], true],
    [{ alice: 9, bob: 6 }, ['alice'], false],
    [{ alice: 1, bob: 15 }, ['alice'], true],
  ])('those that are given back count no more: %j, back from %s, alice: %s', (...row) => {
    const [counts, back, expected] = row
    const slots = taken(counts as Record<string, number>)
    for (const owner of back) slots.release(owner)
    expect(slots.isFree('alice')).toBe(expected)
  })
})
