import { describe, expect, it } from 'vitest'
import { createConcurrencyLimit } from '../../../src/auth/introspection/concurrency-limit.ts'

const never = new AbortController().signal

/** A task that runs until it is told how to end. */
function heldTask() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const state = { hasStarted: false, resolve, reject }
  const run = () => {
    state.hasStarted = true
    return promise
  }
  return Object.assign(state, { run })
}

describe('createConcurrencyLimit', () => {
  it('runs up to the limit at once, and the others in order of arrival', async () => {
    const limit = createConcurrencyLimit(2, 3)
    const tasks = Array.from({ length: 5 }, heldTask)
    const results = tasks.map(({ run }) => limit(run, never))
    const started = () => tasks.map(({ hasStarted }) => hasStarted)
    expect(started()).toEqual([true, true, false, false, false])

    tasks[1]!.resolve('b')
    expect(await results[1]).toBe('b')
    expect(started()).toEqual([true, true, true, false, false])

    tasks[0]!.reject(new Error('a'))
    await expect(results[0]).rejects.toThrow('a')
    expect(started()).toEqual([true, true, true, true, false])

    for (const { resolve } of tasks.slice(2)) resolve('rest')
    expect(await Promise.all(results.slice(1))).toEqual(['b', 'rest', 'rest', 'rest'])
    const next = heldTask()
    void limit(next.run, never)
    expect(next.hasStarted).toBe(true)
  })

  it('gives the place of a task that has stopped waiting to the next one', async () => {
    const limit = createConcurrencyLimit(1, 2)
    const [first, impatient, last] = [heldTask(), heldTask(), heldTask()]
    const controller = new AbortController()
    const results = [
      limit(first.run, never),
      limit(impatient.run, controller.signal),
      limit(last.run, never),
    ]
    controller.abort(new Error('too late'))
    await expect(results[1]).rejects.toThrow('too late')

    first.resolve('first')
    last.resolve('last')
    expect([await results[0], await results[2]]).toEqual(['first', 'last'])
    expect(impatient.hasStarted).toBe(false)
  })

  it('rejects a task for which there is no room to wait, and runs those after it', async () => {
    const limit = createConcurrencyLimit(1, 1)
    const [first, second, excess] = [heldTask(), heldTask(), heldTask()]
    const results = [limit(first.run, never), limit(second.run, never)]
    await expect(limit(excess.run, never)).rejects.toThrow('1 requests of')
    first.resolve('first')
    second.resolve('second')
    expect(await Promise.all(results)).toEqual(['first', 'second'])
    expect(excess.hasStarted).toBe(false)
    expect(await limit(async () => 'later', never)).toBe('later')
  })
})
