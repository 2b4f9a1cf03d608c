import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createPlantClient,
  type PlantClient,
  type PlantClientOptions,
  PlantStoreError,
} from '../../../src/client.ts'
import { type ErrorName, errors } from '../../../src/errors.ts'
import { listening } from '../../shared/listening.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: 0 }))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

type Answer = () => Response | Promise<Response>

const failure =
  (name: ErrorName, retryAfter?: string): Answer =>
  () => {
    const { error, status, message } = errors[name]
    const headers: HeadersInit = retryAfter ? { 'retry-after': retryAfter } : {}
    return Response.json({ error, message }, { status, headers })
  }
const page = (status: number) => () => new Response('<html>', { status })
const cut = () => Promise.reject(new TypeError('fetch failed'))
const never = () => new Promise<Response>(() => {})

/** A client of a server that gives these answers, and the times at which it was asked, in ms after the first. */
function clientOf(answers: Answer[], options: Partial<PlantClientOptions> = {}) {
  const times: number[] = []
  const start = Date.now()
  const fetch = async () => {
    times.push(Date.now() - start)
    return answers.shift()!()
  }
  return {
    client: createPlantClient({ baseUrl: 'http://localhost', token: 's3cret', fetch, ...options }),
    times,
  }
}

/** Lets the time pass until a call has settled. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  const settled = call.catch((error) => error)
  await vi.runAllTimersAsync()
  return settled
}

const create = (client: PlantClient) => client.create({ id: 7n, name: 'Fern' })
const remove = (client: PlantClient) => client.delete(7n)
const CALLS: [string, (client: PlantClient) => Promise<unknown>, Answer][] = [
  ['create', create, () => Response.json({ name: 'Fern' })],
  ['listPage', (client) => client.listPage(), () => Response.json([{ name: 'Fern' }])],
  ['delete', remove, () => new Response(null, { status: 204 })],
]

describe.each(CALLS)('%s', (_, call, success) => {
  it('is tried twice more, at growing intervals', async () => {
    vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(1)
    const { client, times } = clientOf([cut, page(502), success])
    expect(await outcomeOf(call(client))).not.toBeInstanceOf(PlantStoreError)
    expect(times).toEqual([0, 100, 500])
  })

  it('rejects with the last error when no try has helped, and is tried as often as told', async () => {
    for (const retry of [undefined, 0, 10]) {
      const count = (retry ?? 2) + 1
      const answers = [...Array(count - 1).fill(cut), failure('overloaded')]
      const { client, times } = clientOf(answers, { retry })
      expect(await outcomeOf(call(client))).toMatchObject({ code: 'overloaded' })
      expect(times).toHaveLength(count)
    }
  })

  it('is not tried again after a failure that stays', async () => {
    // Browsers show a redirect as an error.
    const redirect = () => Response.error()
    for (const answer of [failure('invalid_limit'), page(404), redirect]) {
      const { client, times } = clientOf([answer])
      expect(await outcomeOf(call(client))).toMatchObject({ mayHaveBeenApplied: false })
      expect(times).toHaveLength(1)
    }
  })

  it('waits as Retry-After asks, in seconds or by a date, but not for more than a minute', async () => {
    const date = (ms: number) => new Date(Date.now() + ms).toUTCString()
    vi.spyOn(Math, 'random').mockReturnValue(0)
    for (const after of [date(7000), '7']) {
      const { client, times } = clientOf([failure('rate_limited', after), success])
      await outcomeOf(call(client))
      expect(times).toEqual([0, 7100])
    }
    const longest = clientOf([failure('rate_limited', '60'), success])
    await outcomeOf(call(longest.client))
    expect(longest.times).toHaveLength(2)
    for (const after of ['61', date(62_000)]) {
      const { client, times } = clientOf([failure('rate_limited', after)])
      expect(await outcomeOf(call(client))).toMatchObject({ code: 'rate_limited' })
      expect(times).toHaveLength(1)
    }
  })

  it('is tried again when a response takes longer than timeoutMs', async () => {
    const { client, times } = clientOf([never, success], { timeoutMs: 500 })
    expect(await outcomeOf(call(client))).not.toBeInstanceOf(PlantStoreError)
    expect(times[1]! >= 600 && times[1]! <= 700, `${times[1]}`).toBe(true)
    const message = 'No response from http://localhost/ in 40000 ms'
    const token = (refused?: string) => (refused ? 'fresh' : 'expired')
    for (const answers of [[never], [failure('invalid_token'), never]]) {
      const { client } = clientOf(answers, { retry: 0, token })
      expect(await outcomeOf(call(client))).toMatchObject({ code: 'network_error', message })
    }
  })
})

describe('The outcome of a try', () => {
  const TRIES: [string, Answer, boolean][] = [
    ['a connection that fails', cut, true],
    ['no response', never, true],
    ['storage_unavailable', failure('storage_unavailable'), true],
    ['timeout', failure('timeout'), true],
    ['internal', failure('internal'), true],
    ['a 502 of a proxy', page(502), true],
    ['a 408 of a proxy', page(408), false],
    ['a 429 of a proxy', page(429), false],
    ['overloaded', failure('overloaded'), false],
    ['rate_limited', failure('rate_limited'), false],
    ['auth_unavailable', failure('auth_unavailable'), false],
  ]

  it.each(TRIES)(
    '%s says whether it may have been applied',
    async (_, answer, mayHaveBeenApplied) => {
      for (const call of [create, remove]) {
        const { client } = clientOf([answer], { retry: 0 })
        expect(await outcomeOf(call(client))).toMatchObject({ mayHaveBeenApplied })
      }
      const { client } = clientOf([answer], { retry: 0 })
      expect(await outcomeOf(client.listPage())).toMatchObject({ mayHaveBeenApplied: false })
    },
  )

  it.each(TRIES)('%s decides about a second try', async (_, answer, mayHaveBeenApplied) => {
    const twice = clientOf([answer, failure('duplicate_id')])
    const duplicate = { code: 'duplicate_id', mayHaveBeenApplied }
    expect(await outcomeOf(create(twice.client))).toMatchObject(duplicate)
    const gone = clientOf([answer, failure('plant_not_found')])
    const result = await outcomeOf(remove(gone.client))
    if (mayHaveBeenApplied) expect(result).toBeUndefined()
    else expect(result).toMatchObject({ code: 'plant_not_found' })
  })

  it('stays open although a later try was certainly not applied', async () => {
    const { client } = clientOf([cut, failure('overloaded'), failure('overloaded')])
    const error = { code: 'overloaded', mayHaveBeenApplied: true }
    expect(await outcomeOf(create(client))).toMatchObject(error)
    const proxied = clientOf([cut, page(404)])
    expect(await outcomeOf(remove(proxied.client))).toMatchObject({ code: 'unexpected_response' })
  })
})

it.each([
  ['waits for its next try', failure('rate_limited', '50')],
  ['waits for a fetch that ignores its signal', never],
])('A signal ends a call that %s at once, and no timer keeps the process', async (_, answer) => {
  const { client, times } = clientOf([answer])
  const controller = new AbortController()
  const call = client.create({ id: 7n, name: 'Fern' }, { signal: controller.signal })
  const rejection = expect(call).rejects.toBe('enough')
  await vi.advanceTimersByTimeAsync(1000)
  controller.abort('enough')
  await rejection
  expect(vi.getTimerCount()).toBe(0)
  expect(times).toHaveLength(1)
})

it('A token may take longer than timeoutMs, as when a user signs in', async () => {
  const token = () => new Promise<string>((resolve) => setTimeout(() => resolve('t'), 300_000))
  const { client } = clientOf([() => Response.json([])], { token, timeoutMs: 100, retry: 0 })
  expect(await outcomeOf(client.listPage())).toEqual({ plants: [] })
})

it.each([
  ['no byte', ''],
  ['half of a list', '[{"name":"Fern"},'],
])('A server that sends %s and then nothing loses its connection', async (_, text) => {
  vi.useRealTimers()
  let closed = 0
  const { url: baseUrl } = await listening((request, response) => {
    request.socket.once('close', () => closed++)
    if (text) response.write(text)
  })
  const client = createPlantClient({ baseUrl, token: 't', timeoutMs: 100, retry: 1 })
  const error = await client.listPage().catch((error) => error)
  expect(error).toMatchObject({
    code: 'network_error',
    message: `No response from ${baseUrl}/ in 100 ms`,
  })
  await vi.waitFor(() => expect(closed).toBe(2), 10_000)
})
