import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import {
  createPlantStore,
  type PlantStorage,
  RateLimitedError,
  StorageUnavailableError,
} from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { aliceOnly, mounted, request } from '../mounted.ts'

it('a call that fails leaves no timer behind', async () => {
  vi.useFakeTimers()
  const verify = () => Promise.reject(new Error('The identity provider is down'))
  const { fetch } = mounted({ onError() {} }, memoryStorage(), verify)
  expect((await fetch(request('/plants'))).status).toBe(503)
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

it('a signal that a storage reads only after the time limit is aborted', async () => {
  const { promise: seen, resolve: see } = Promise.withResolvers<AbortSignal>()
  const list: PlantStorage['list'] = async (_owner, _query, call) => {
    await setTimeout(20)
    see(call!.signal)
    return []
  }
  const { fetch } = mounted({ timeoutMs: 5, onError() {} }, { ...memoryStorage(), list })
  expect((await fetch(request('/plants'))).status).toBe(503)
  expect((await seen).reason).toMatchObject({ name: 'TimeoutError' })
})

describe('RateLimitedError', () => {
  it('has a name, a message and a cause, as other errors do', () => {
    expect(String(new StorageUnavailableError('Down'))).toBe('StorageUnavailableError: Down')
    const cause = new Error('The bucket is empty')
    const error = new RateLimitedError('Too fast', { retryAfterSeconds: 0, cause })
    expect(String(error)).toBe('RateLimitedError: Too fast')
    expect([error.cause, error.code, error.retryAfterSeconds]).toEqual([cause, 'rate_limited', 0])
    const misspelt = { retryAfter: 7 } as object
    expect(() => new RateLimitedError('', misspelt)).toThrow('has no option retryAfter')
  })

  it.each([-1, 1.5, Number.NaN, 2 ** 53, '1'])('accepts whole seconds only: %o', (seconds) => {
    const got = typeof seconds === 'string' ? 'a string' : seconds
    expect(() => new RateLimitedError('', { retryAfterSeconds: seconds as number })).toThrow(
      new RangeError(
        `retryAfterSeconds must be a whole number from 0 to 9007199254740991; got ${got}`,
      ),
    )
  })
})

describe('an error that says the rate is limited', () => {
  it.each([
    [new RateLimitedError('Too fast'), '1'],
    [new RateLimitedError('Too fast', { retryAfterSeconds: 7 }), '7'],
    [Object.assign(new Error('Too fast'), { code: 'rate_limited', retryAfterSeconds: -3 }), '0'],
    [{ code: 'rate_limited', retryAfterSeconds: 9 }, '9'],
    [Object.assign(new Error('Too fast'), { code: 'rate_limited', retryAfterSeconds: 1.5 }), '1'],
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
  ['overloaded', 50304],
  ['storage_unavailable', 50302],
])('a verifier that throws an error with the code %s gets its client a %i', async (code, error) => {
  const verify = () => Promise.reject(Object.assign(new Error('Not now'), { code }))
  const { fetch } = mounted({ onError() {} }, memoryStorage(), verify)
  expect((await (await fetch(request('/plants'))).json()).error).toBe(error)
})

const REASON = new Error('navigated away')
const ABORT = new DOMException('This operation was aborted', 'AbortError')
const UNAVAILABLE = new StorageUnavailableError('The connection was reset')
const BROKEN = new Error('The disk is gone')

describe.each(['storage', 'verifier'])('a %s that rejects', (failing) => {
  it.each([
    ['with an AbortError', ABORT, false, 0],
    ['with an error that an AbortError has caused', new Error('', { cause: ABORT }), false, 0],
    ['with the reason of the client', REASON, false, 0],
    ['with unavailability', UNAVAILABLE, false, 1],
    ['with unavailability, after it has read the signal,', UNAVAILABLE, true, 0],
    ['with another error', BROKEN, false, 1],
    ['with another error, after it has read the signal,', BROKEN, true, 1],
  ])('$0 is reported once while the client is there, and after that $3 times', async (...row) => {
    const [, error, readsSignal, timesAfter] = row
    for (const isGone of [false, true]) {
      const onError = vi.fn()
      const client = new AbortController()
      const fail = async (...args: any[]) => {
        if (readsSignal) args.at(-1).signal.throwIfAborted()
        if (isGone) client.abort(error === REASON ? REASON : undefined)
        throw error
      }
      // A 499 is not in the document, which `mounted` checks.
      const { fetch } =
        failing === 'storage'
          ? createPlantStore({ ...memoryStorage(), list: fail }, aliceOnly, { onError })
          : createPlantStore(memoryStorage(), fail, { onError })
      await fetch(new Request(request('/plants'), { signal: client.signal }))
      expect(onError).toHaveBeenCalledTimes(isGone ? timesAfter : 1)
    }
  })
})
