import { afterEach, describe, expect, it, vi } from 'vitest'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { type AuthVerifier, createPlantStore, type ResponseEvent } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Sends a list with a token. Returns the reason that the app is told. */
async function reasonOf(verify: AuthVerifier): Promise<string | undefined> {
  const events: ResponseEvent[] = []
  const store = createPlantStore(memoryStorage(), verify, {
    onError() {},
    onResponse: (event) => void events.push(event),
  })
  const response = await store.fetch(request())
  // No more than RFC 6750 asks for.
  expect(response.headers.get('www-authenticate')).toBe(
    'Bearer realm="plants", error="invalid_token"',
  )
  expect(await response.text()).toBe('{"error":40102,"message":"The token is not valid."}')
  return events[0]!.reason
}

const request = (token = 't') =>
  new Request('http://localhost/plants', { headers: { authorization: `Bearer ${token}` } })

describe('The reason of a refusal', () => {
  it('is told to the app, and not to the client', async () => {
    expect(await reasonOf((_, context) => context.refuse('no such session'))).toBe(
      'no such session',
    )
    expect(await reasonOf(() => null)).toBeUndefined()
    const refuseWith = (reason: unknown) => reasonOf((_, { refuse }) => refuse(reason as string))
    expect(await refuseWith(undefined)).toBeUndefined()
    expect(await refuseWith(new Error('expired'))).toBe('Error: expired')
    expect(await reasonOf(staticTokens({ s3cret: 'alice' }))).toBe('it is none of the known tokens')
  })

  it('is logged by default, each one once a minute, and at most 100 of them', async () => {
    vi.useFakeTimers({ toFake: ['Date'] }).setSystemTime(10 * 60_000)
    const print = vi.spyOn(console, 'warn').mockImplementation(() => {})
    let count = 0
    const reasons = ['audience is "x"', 'audience is "x"', `line\n\u2028\u202e ${'x'.repeat(1000)}`]
    const store = createPlantStore(memoryStorage(), (_token, context) =>
      context.refuse(reasons[count++] ?? `reason ${count}`),
    )
    const send = () => store.fetch(request())
    for (let i = 0; i < 3; i++) await send()
    const lines = print.mock.calls.map(([line]) => line)
    expect(lines).toEqual([
      'A token was refused with 401: audience is "x"',
      `A token was refused with 401: line    ${'x'.repeat(192)}`,
    ])
    for (let i = 0; i < 200; i++) await send()
    expect(print).toHaveBeenCalledTimes(100)
    // The second time, the clock has been set back.
    for (const [minute, times] of [
      [10.99, 100],
      [11, 101],
      [1, 102],
    ] as const) {
      vi.setSystemTime(minute * 60_000)
      count = 0
      await send()
      expect(print).toHaveBeenCalledTimes(times)
    }
  })

  it('is told and logged without the token, which may be good elsewhere', async () => {
    const print = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const onResponse = vi.fn()
    const refuse: AuthVerifier = (token, context) =>
      context.refuse(`${'x'.repeat(190)} ${token}, for another service`)
    const store = createPlantStore(memoryStorage(), refuse, { onResponse })
    await store.fetch(request('eyJhbGciOiJ'))
    expect(print.mock.calls.flat().join()).toMatch(/x \[token\], $/)
    const [{ reason }] = onResponse.mock.calls[0]!
    expect(reason).toMatch(/x \[token\], for another service$/)
  })

  it.each([
    { hooks: {}, logs: 1 },
    { hooks: { onError() {} }, logs: 1 },
    { hooks: { onResponse() {} }, logs: 1 },
    { hooks: { onError() {}, onResponse() {} }, logs: 0 },
  ])('is logged unless the app has both hooks: $hooks', async ({ hooks, logs }) => {
    vi.useFakeTimers({ now: Date.now() + 60_000 * (1 + Object.keys(hooks).length) })
    const print = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const refuse: AuthVerifier = (_, context) => context.refuse(`no ${Object.keys(hooks)}`)
    await createPlantStore(memoryStorage(), refuse, hooks).fetch(request())
    expect(print).toHaveBeenCalledTimes(logs)
  })
})
