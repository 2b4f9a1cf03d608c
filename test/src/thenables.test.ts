import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { AuthVerifier } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { mounted, request } from './mounted.ts'

const unhandled = vi.fn()
beforeAll(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  process.on('unhandledRejection', unhandled)
})
afterAll(() => {
  process.off('unhandledRejection', unhandled)
  vi.restoreAllMocks()
})

const error = () => new Error('The database is gone')
type Settle = (value: unknown) => void
type Then = (resolve: Settle, reject: Settle) => unknown

const thenables: [string, Then][] = [
  ['rejects twice', (_, reject) => [error(), error()].forEach(reject)],
  ['rejects with a promise that rejects', (_, reject) => reject(Promise.reject(error()))],
  ['resolves to a promise that rejects', (resolve) => resolve(Promise.reject(error()))],
  ['throws', throwing(error)],
]

/** What a verifier, a storage or a hook may return or throw. */
const failures: [string, () => any][] = [
  ['rejects late', () => new Promise((_, reject) => setTimeout(reject, 60, error()))],
  ['throws a promise that rejects', throwing(() => Promise.reject(error()))],
  ['rejects with a promise that rejects', () => Promise.reject(Promise.reject(error()))],
  [
    'has a then that throws when it is read',
    () => Object.defineProperty({}, 'then', { get: throwing(error) }),
  ],
  ...thenables.map(([name, value]): [string, () => any] => [
    `has a then that ${name}`,
    () => Object.defineProperty({}, 'then', { value }),
  ]),
]

function throwing(make: () => unknown) {
  return () => {
    throw make()
  }
}

async function statusOf(...[options, ...rest]: Parameters<typeof mounted>): Promise<number> {
  const store = mounted({ ...options, timeoutMs: 30 }, ...rest)
  const { status } = await store.fetch(request('/plants?limit=1'))
  // Until what comes too late has come.
  await new Promise((resolve) => setTimeout(resolve, 60))
  return status
}

describe('Nothing is unhandled, and the request is answered, where', () => {
  it.each(failures)('a verifier %s', async (_, fail) => {
    expect(await statusOf({}, memoryStorage(), fail as AuthVerifier)).toBe(503)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it.each(failures)('a storage %s', async (_, fail) => {
    for (const options of [{}, { onError() {} }]) {
      expect(await statusOf(options, { ...memoryStorage(), list: fail })).toBeOneOf([500, 503])
    }
    expect(unhandled).not.toHaveBeenCalled()
  })

  it.each(failures)('a hook %s', async (_, fail) => {
    const storage = { ...memoryStorage(), list: throwing(error) }
    expect(await statusOf({ onError: fail, onResponse: fail }, storage)).toBe(500)
    expect(unhandled).not.toHaveBeenCalled()
  })
})

it('An object whose then is not a function is a value, as it is for await', async () => {
  const caller = Object.defineProperty({ owner: 'alice' }, 'then', { value: 1 })
  expect(await statusOf({}, memoryStorage(), () => caller)).toBe(200)
})
