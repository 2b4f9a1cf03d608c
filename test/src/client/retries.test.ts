import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPlantClient, type PlantClientOptions, PlantStoreError } from '../../../src/client.ts'
import { type ErrorName, errors } from '../../../src/errors.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => vi.useRealTimers())

const failure =
  (name: ErrorName, headers = {}) =>
  () =>
    Response.json(
      { error: errors[name].error, message: 'x' },
      { status: errors[name].status, headers },
    )
const cut = () => {
  throw new TypeError('fetch failed')
}
const badGateway = () => new Response('<html>', { status: 502 })
const never = () => new Promise<Response>(() => {})
const created = () => Response.json({ name: 'Fern' })
const deleted = () => new Response(null, { status: 204 })
const listed = () => Response.json([{ name: 'Fern' }])

type Answer = () => Response | Promise<Response>

/** A client of a server that gives these answers, and the times in ms at which it was asked. */
function clientOf(answers: Answer[], options: Partial<PlantClientOptions> = {}) {
  const times: number[] = []
  let now = 0
  const client = createPlantClient({
    baseUrl: 'http://localhost',
    token: 's3cret',
    fetch: async () => {
      times.push(now)
      return answers.shift()!()
    },
    ...options,
  })
  /** Lets the time pass until a call has settled. */
  async function settled<T>(call: Promise<T>): Promise<T | PlantStoreError> {
    let result: { value: T | PlantStoreError } | undefined
    call.then(
      (value) => (result = { value }),
      (error) => (result = { value: error }),
    )
    while (!result) {
      await vi.advanceTimersByTimeAsync(10)
      now += 10
    }
    return result.value
  }
  return { client, times, settled }
}

const CALLS: Record<
  'create' | 'list' | 'delete',
  (client: ReturnType<typeof createPlantClient>) => Promise<unknown>
> = {
  create: (client) => client.create({ id: 7n, name: 'Fern' }),
  list: (client) => client.listPage(),
  delete: (client) => client.delete(7n),
}
const SUCCESS = { create: created, list: listed, delete: deleted }

describe.each(['create', 'list', 'delete'] as const)('%s', (name) => {
  it.each<[string, Answer]>([
    ['a connection that fails', cut],
    ['a page of a proxy', badGateway],
    ['storage_unavailable', failure('storage_unavailable')],
    ['overloaded', failure('overloaded')],
    ['rate_limited', failure('rate_limited')],
    ['internal', failure('internal')],
  ])('is tried twice more after %s, at growing intervals', async (_, answer) => {
    const { client, times, settled } = clientOf([answer, answer, SUCCESS[name]])
    expect(await settled(CALLS[name](client))).not.toBeInstanceOf(PlantStoreError)
    expect(times).toHaveLength(3)
    const [first = 0, second = 0] = [times[1]! - times[0]!, times[2]! - times[1]!]
    expect(first).toBeGreaterThanOrEqual(90)
    expect(first).toBeLessThanOrEqual(220)
    expect(second).toBeGreaterThanOrEqual(190)
    expect(second).toBeLessThanOrEqual(420)
  })

  it('rejects with the last error when no try has helped', async () => {
    const { client, times, settled } = clientOf([cut, cut, failure('overloaded')])
    expect(await settled(CALLS[name](client))).toMatchObject({ code: 'overloaded' })
    expect(times).toHaveLength(3)
  })

  it.each<ErrorName>(['invalid_plant', 'missing_token', 'insufficient_scope', 'body_too_large'])(
    'is not tried again after %s',
    async (error) => {
      const { client, times, settled } = clientOf([failure(error)])
      expect(await settled(CALLS[name](client))).toMatchObject({ code: error })
      expect(times).toHaveLength(1)
    },
  )

  it('waits as Retry-After asks, but not for more than a minute', async () => {
    const soon = clientOf([failure('rate_limited', { 'retry-after': '7' }), SUCCESS[name]])
    await soon.settled(CALLS[name](soon.client))
    expect(soon.times[1]).toBeGreaterThanOrEqual(6990)
    expect(soon.times[1]).toBeLessThan(7100)
    const late = clientOf([failure('rate_limited', { 'retry-after': '61' })])
    const error = await late.settled(CALLS[name](late.client))
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 61 })
  })

  it('is tried again when a try takes longer than timeoutMs', async () => {
    const { client, times, settled } = clientOf([never, SUCCESS[name]], { timeoutMs: 500 })
    expect(await settled(CALLS[name](client))).not.toBeInstanceOf(PlantStoreError)
    expect(times[1]).toBeGreaterThanOrEqual(590)
    const silent = clientOf([never], { timeoutMs: 500, retry: 0 })
    const error = await silent.settled(CALLS[name](silent.client))
    expect(error).toMatchObject({ code: 'network_error', message: 'No response in 500 ms' })
  })

  it('is not tried again with a retry of 0, and 10 times with 10', async () => {
    const none = clientOf([cut], { retry: 0 })
    expect(await none.settled(CALLS[name](none.client))).toMatchObject({ code: 'network_error' })
    const ten = clientOf(
      [...Array(10).fill(failure('overloaded', { 'retry-after': '1' })), SUCCESS[name]],
      { retry: 10 },
    )
    expect(await ten.settled(CALLS[name](ten.client))).not.toBeInstanceOf(PlantStoreError)
  })
})

describe('A call whose outcome was open', () => {
  const OPEN: [string, Answer, boolean][] = [
    ['a connection that fails', cut, true],
    ['storage_unavailable', failure('storage_unavailable'), true],
    ['timeout', failure('timeout'), true],
    ['a page of a proxy', badGateway, true],
    ['overloaded', failure('overloaded'), false],
    ['rate_limited', failure('rate_limited'), false],
    ['auth_unavailable', failure('auth_unavailable'), false],
  ]

  it.each(OPEN)(
    'says of a duplicate_id after %s whether it may be its own: %o',
    async (_, answer, isOpen) => {
      const { client, settled } = clientOf([answer, failure('duplicate_id')])
      const error = await settled(client.create({ id: 7n, name: 'Fern' }))
      expect(error).toMatchObject({ code: 'duplicate_id' })
      expect((error as PlantStoreError).mayBeOwn).toBe(isOpen ? true : undefined)
    },
  )

  it.each(OPEN)('takes a missing plant after %s for deleted: %o', async (_, answer, isOpen) => {
    const { client, settled } = clientOf([answer, failure('plant_not_found')])
    const result = await settled(client.delete(7n))
    if (isOpen) expect(result).toBeUndefined()
    else expect(result).toMatchObject({ code: 'plant_not_found' })
  })

  it('is open still when a later try was certainly not applied', async () => {
    const { client, settled } = clientOf([cut, failure('overloaded'), failure('duplicate_id')])
    expect(await settled(client.create({ id: 7n, name: 'Fern' }))).toMatchObject({ mayBeOwn: true })
  })
})

it('A list tries each page again, not those before it', async () => {
  const page = (name: string, next?: string) => () =>
    Response.json([{ name }], next ? { headers: { link: `<?cursor=${next}>; rel="next"` } } : {})
  const { client, settled } = clientOf([page('a', '1'), cut, page('b', '2'), badGateway, page('c')])
  const names: string[] = []
  async function all(): Promise<void> {
    for await (const { name } of client.list()) names.push(name)
  }
  await settled(all())
  expect(names).toEqual(['a', 'b', 'c'])
})

it('A signal ends a call that waits for its next try at once', async () => {
  const { client, times } = clientOf([failure('rate_limited', { 'retry-after': '50' }), created])
  const controller = new AbortController()
  const call = client.create({ id: 7n, name: 'Fern' }, { signal: controller.signal })
  const rejection = expect(call).rejects.toThrow('enough')
  await vi.advanceTimersByTimeAsync(1000)
  controller.abort(new Error('enough'))
  await rejection
  await vi.advanceTimersByTimeAsync(60_000)
  expect(times).toHaveLength(1)
})

it('A server that accepts and never answers is given up on', async () => {
  vi.useRealTimers()
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const options = { baseUrl: `http://127.0.0.1:${port}`, token: 't', timeoutMs: 100, retry: 1 }
  const error = await createPlantClient(options)
    .delete(7n)
    .catch((error) => error)
  expect(error).toMatchObject({ code: 'network_error', message: 'No response in 100 ms' })
  server.close()
})

it('Wrong options, and a token that begins with Bearer, are told', () => {
  const create = (options: object) => () =>
    createPlantClient({ baseUrl: 'http://localhost', token: 't', ...options })
  for (const retry of [-1, 11, 0.5, Number.NaN]) {
    expect(create({ retry })).toThrow(`retry must be 0 to 10; got ${retry}`)
  }
  for (const timeoutMs of [0, 2 ** 31]) {
    expect(create({ timeoutMs })).toThrow('timeoutMs must be 1 to 2147483647')
  }
  expect(create({ token: 'Bearer t' })).toThrow('token must be without "Bearer "')
})
