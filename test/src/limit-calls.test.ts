import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { limitCalls } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { mounted, request } from './mounted.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const context = () => {
  const request = new Request('http://localhost/plants')
  return { request, signal: request.signal, refuse: () => null }
}

it('makes so many calls of a verifier at once, and the rest in turn', async () => {
  let inProgress = 0
  let most = 0
  const seen: unknown[][] = []
  const verify = limitCalls(
    async (...args) => {
      seen.push(args)
      most = Math.max(most, ++inProgress)
      await new Promise((resolve) => setTimeout(resolve, 10))
      inProgress--
      return { owner: args[0] }
    },
    { maxConcurrentCalls: 4 },
  )
  const given = context()
  const results = Array.from({ length: 20 }, (_, i) => verify(`${i}`, given))
  await vi.advanceTimersByTimeAsync(1000)
  expect((await Promise.all(results)).map((caller) => caller?.owner)).toEqual(
    Array.from({ length: 20 }, (_, i) => `${i}`),
  )
  expect(most).toBe(4)
  expect(seen.every(([, given_]) => given_ === given)).toBe(true)
})

it('refuses calls with the code overloaded, once others have waited for 2 s', async () => {
  const verify = limitCalls(() => new Promise(() => {}), { maxConcurrentCalls: 1 })
  void verify('a', context())
  void verify('b', context())
  await vi.advanceTimersByTimeAsync(2100)
  const refused = Promise.resolve(verify('c', context())).catch((error) => error)
  await vi.advanceTimersByTimeAsync(300)
  expect(await refused).toMatchObject({ code: 'overloaded' })
})

it('takes a function, and a whole number or Infinity', () => {
  expect(() => limitCalls({} as never, { maxConcurrentCalls: 1 })).toThrow(
    'limitCalls takes a verifier, which is a function; got an object',
  )
  expect(() => limitCalls(() => null, { maxConcurrentCalls: 0 })).toThrow(RangeError)
  expect(() => limitCalls(() => null, { max: 1 } as never)).toThrow('no option max')
})

it('makes other calls when those that hang have timed out', async () => {
  const verify = limitCalls(
    async (token) => (token === 'a' ? { owner: 'alice' } : new Promise<never>(() => {})),
    { maxConcurrentCalls: 2 },
  )
  const { fetch } = mounted({ timeoutMs: 10_000, onError() {} }, memoryStorage(), verify)
  const list = (token: string) =>
    fetch(request('/plants', { headers: { authorization: `Bearer ${token}` } }))
  for (let i = 0; i < 2; i++) void list(`hangs-${i}`)
  await vi.advanceTimersByTimeAsync(9900)
  const response = list('a')
  await vi.advanceTimersByTimeAsync(200)
  expect((await response).status).toBe(200)
})
