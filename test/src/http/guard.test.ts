import { describe, expect, it, vi } from 'vitest'
import {
  createPlantStore,
  type PlantStorage,
  RateLimitedError,
  StorageUnavailableError,
} from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { aliceOnly, mounted, request } from '../mounted.ts'

const UNAVAILABLE = new StorageUnavailableError('The connection was reset')

it('a call that fails leaves no timer behind', async () => {
  vi.useFakeTimers()
  const verify = () => Promise.reject(new Error('The identity provider is down'))
  const { fetch } = mounted({ onError() {} }, memoryStorage(), verify)
  expect((await fetch(request('/plants'))).status).toBe(503)
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

describe('an error that says the rate is limited', () => {
  it.each([
    [new RateLimitedError('Too fast'), '1'],
    [new RateLimitedError('Too fast', { retryAfterSeconds: 7 }), '7'],
    [Object.assign(new Error('Too fast'), { code: 'rate_limited', retryAfterSeconds: -3 }), '0'],
    [Object.assign(new Error('Too fast'), { code: 'rate_limited', retryAfterSeconds: 9 }), '9'],
    [Object.assign(new Error('Too fast'), { code: 'rate_limited', retryAfterSeconds: 'x' }), '1'],
  ])('is a 429 with Retry-After, and onError is not called: %o', async (error, seconds) => {
    const onError = vi.fn()
    const fail = () => {
      throw error
    }
    for (const store of [
      mounted({ onError }, { ...memoryStorage(), list: fail }),
      mounted({ onError }, memoryStorage(), fail),
      mounted({ onError }, memoryStorage(), async () => fail()),
    ]) {
      const response = await store.fetch(request('/plants'))
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, seconds])
      expect((await response.json()).error).toBe(42901)
    }
    expect(onError).not.toHaveBeenCalled()
  })
})

it.each([
  ['that passes on the signal is unavailable', true, UNAVAILABLE, 0],
  ['that does not is unavailable', false, UNAVAILABLE, 1],
  ['that passes on the signal is broken', true, new Error('The disk is gone'), 1],
])('after the client has left, a storage %s: that is reported or not', async (...row) => {
  const [, isPassedOn, error, times] = row
  const onError = vi.fn()
  const client = new AbortController()
  const list: PlantStorage['list'] = async (_owner, _query, call) => {
    if (isPassedOn) call!.signal.throwIfAborted()
    client.abort()
    throw error
  }
  const { fetch } = createPlantStore({ ...memoryStorage(), list }, aliceOnly, { onError })
  await fetch(new Request(request('/plants'), { signal: client.signal }))
  expect(onError).toHaveBeenCalledTimes(times)
})

it.each([
  ['overloaded', 50304],
  ['storage_unavailable', 50302],
])('a verifier that throws an error with the code %s gets its client a %i', async (code, error) => {
  const verify = () => Promise.reject(Object.assign(new Error('Not now'), { code }))
  const { fetch } = mounted({ onError() {} }, memoryStorage(), verify)
  expect((await (await fetch(request('/plants'))).json()).error).toBe(error)
})

const REASON = new Error('navigated away')

describe.each(['storage', 'verifier'])('a %s that rejects', (failing) => {
  const abort = new DOMException('This operation was aborted', 'AbortError')
  it.each([
    ['with an AbortError', abort, 0],
    ['with an error that an AbortError has caused', new Error('No rows', { cause: abort }), 0],
    ['with the reason of the client', REASON, 0],
    ['with unavailability', UNAVAILABLE, 1],
    ['with another error', new Error('The disk is gone'), 1],
  ])('$0 is reported once while the client is there, and after that $2 times', async (...row) => {
    const [, error, timesAfter] = row
    for (const [isGone, times] of [
      [false, 1],
      [true, timesAfter],
    ]) {
      const onError = vi.fn()
      const client = new AbortController()
      const fail = async () => {
        if (isGone) client.abort(error === REASON ? REASON : undefined)
        throw error
      }
      // A 499 is not in the document, which `mounted` checks.
      const { fetch } =
        failing === 'storage'
          ? createPlantStore({ ...memoryStorage(), list: fail }, aliceOnly, { onError })
          : createPlantStore(memoryStorage(), fail, { onError })
      await fetch(new Request(request('/plants'), { signal: client.signal }))
      expect(onError).toHaveBeenCalledTimes(Number(times))
    }
  })
})
