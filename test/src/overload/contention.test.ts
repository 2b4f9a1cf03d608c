import { describe, expect, it } from 'vitest'
import { createContention } from '../../../src/overload/contention.ts'

/** Learns from calls, each with how many were in progress and how long they took. Returns what is known after each. */
function learn(measurements: [inFlight: number, ms: number][], idle?: [number, number]) {
  const toMeasurement = ([inFlight, ms]: [number, number]) => ({ inFlight, ms })
  const contention = createContention()
  return measurements.map((measurement) => {
    contention.learn(toMeasurement(measurement), idle && toMeasurement(idle))
    return contention.isShown
  })
}

describe('Contention', () => {
  it.each<[string, [number, number], [number, number], boolean]>([
    ['is shown by twice the calls that take twice as long', [10, 50], [20, 100], true],
    ['is shown by half the calls that take half as long', [20, 100], [10, 50], true],
    ['is not shown by twice the calls that take as long', [10, 50], [20, 55], false],
    ['is not shown by as many calls that take longer', [10, 50], [11, 500], false],
    ['is not shown by as few calls that take less', [11, 500], [10, 50], false],
    ['is not shown by half the calls that take longer', [20, 50], [10, 500], false],
  ])('%s', (_, first, second, expected) => {
    expect(learn([first, second])).toEqual([false, expected])
  })

  it.each<[string, number, boolean]>([
    ['is shown by four times the calls that take four times as long', 200, true],
    ['is not shown by a storage that has become slower since', 2000, false],
  ])('of the first calls, compared with those of an idle storage, %s', (_, ms, expected) => {
    expect(learn([[16, ms]], [4, 50])).toEqual([expected])
  })

  it('tells whether there was something to compare with', () => {
    const contention = createContention()
    const learn = (inFlight: number) => contention.learn({ inFlight, ms: 50 }, undefined)
    expect([10, 11, 20, 19, 10].map(learn)).toEqual([false, false, true, false, true])
  })

  const shown: [number, number][] = [
    [10, 50],
    [20, 100],
  ]
  it('ends with the third time that more or fewer calls take as long', () => {
    expect(learn([...shown, [40, 100], [20, 100], [40, 100]])).toEqual([
      ...[false, true, true, true, false],
    ])
  })

  it('ends with the third time that more calls take even less', () => {
    expect(learn([...shown, [40, 40], [80, 16], [160, 6]]).slice(-2)).toEqual([true, false])
  })

  it('stays if it is shown again between the doubts', () => {
    const again: [number, number][] = [
      [40, 100],
      [20, 100],
      [40, 200],
      [20, 200],
      [40, 200],
    ]
    expect(learn([...shown, ...again]).slice(1)).toEqual([true, true, true, true, true, true])
  })

  it('is not doubted because the storage takes longer for fewer calls', () => {
    expect(
      learn([
        [80, 10],
        [160, 20],
        [80, 40],
        [40, 80],
        [20, 160],
      ]).at(-1),
    ).toBe(true)
  })
})
