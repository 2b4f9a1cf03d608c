import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { createPlantClient, type PlantClientOptions, PlantStoreError } from '../../src/client.ts'
import { errors } from '../../src/errors.ts'
import type { PlantStoreOptions } from '../../src/options.ts'
import type { NewPlant } from '../../src/plant.ts'
import { createPlantStore } from '../../src/plant-store.ts'
import { INT64_MAX, INT64_MIN } from '../../src/plants/int64.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

const OWNER = 'alice'

/** A store in this process, what it keeps, and what it was sent. */
function inMemory(options: PlantStoreOptions = {}) {
  const storage = memoryStorage()
  const verify = (token: string) => (token === 's3cret' ? { owner: OWNER } : null)
  const store = createPlantStore(storage, verify, options)
  const requests: Request[] = []
  const fetch = (request: Request) => {
    requests.push(request)
    return store.fetch(request)
  }
  return { fetch, requests, kept: () => storage.list(OWNER, { limit: 1000 }) }
}

function clientOf(options: Partial<PlantClientOptions> = {}) {
  return createPlantClient({ baseUrl: 'http://localhost', token: 's3cret', ...options })
}

/** A client of a server that gives these answers, one after another. */
function answeredWith(...answers: Response[]) {
  const requests: Request[] = []
  const client = clientOf({
    fetch: async (request) => {
      requests.push(request)
      return answers.shift()!
    },
  })
  return { client, requests }
}

function failureOf(promise: Promise<unknown>): Promise<PlantStoreError> {
  return promise.then(
    () => expect.unreachable('did not fail'),
    (error) => {
      expect(error).toBeInstanceOf(PlantStoreError)
      return error
    },
  )
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const array: T[] = []
  for await (const item of items) array.push(item)
  return array
}

const numbered = (count: number): NewPlant[] =>
  Array.from({ length: count }, (_, index) => ({ id: BigInt(index), name: `plant ${index}` }))

async function withPlants(count: number, options?: PlantStoreOptions) {
  const memory = inMemory(options)
  const client = clientOf(memory)
  for (const plant of numbered(count)) await client.create(plant)
  memory.requests.length = 0
  return { ...memory, client }
}

const servers: Server[] = []

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

describe('create and delete', () => {
  test('keep ids and texts exact', async () => {
    const id = fc.oneof(
      fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
      fc.constantFrom(INT64_MIN, INT64_MAX, 0n, 2n ** 53n + 1n),
    )
    const text = fc.string({ unit: 'grapheme' })
    const plant = fc.record({ id, name: text, tag: text }, { requiredKeys: ['id', 'name'] })
    await fc.assert(
      fc.asyncProperty(plant, async (plant) => {
        const { fetch, kept } = inMemory()
        const { id, ...answer } = plant
        const client = clientOf({ fetch })
        expect(await client.create(plant)).toEqual(answer)
        expect(kept()).toEqual([{ ...plant }])
        await client.delete(id)
        expect(kept()).toEqual([])
      }),
    )
  })

  test('take no number for an id, since it may have been rounded', async () => {
    const { fetch, requests } = inMemory()
    const client = clientOf({ fetch })
    const id = (2 ** 63) as unknown as bigint
    await expect(client.create({ id, name: 'Monstera' })).rejects.toThrow(TypeError)
    await expect(client.delete(id)).rejects.toThrow(TypeError)
    expect(requests).toEqual([])
  })
})

describe('list', () => {
  test.each([1, 3, 10, 11])('goes through all plants, %i a page', async (limit) => {
    const { client, requests } = await withPlants(10)
    const names = (await all(client.list({ limit }))).map(({ name }) => name)
    expect(names).toEqual(numbered(10).map(({ name }) => name))
    expect(requests).toHaveLength(Math.ceil(10 / limit))
  })

  test('asks for a page when it comes to it', async () => {
    const { client, requests } = await withPlants(4)
    for await (const { name } of client.list({ limit: 2 })) if (name === 'plant 1') break
    expect(requests).toHaveLength(1)
  })

  test('follows pages that the store makes of its own', async () => {
    const { client } = await withPlants(5, { maxLimit: 2 })
    expect(await all(client.list())).toHaveLength(5)
  })

  test('has a form that answers with one page, and where the next one is', async () => {
    const { client } = await withPlants(3)
    const first = await client.listPage({ limit: 2 })
    expect(first.plants).toEqual([{ name: 'plant 0' }, { name: 'plant 1' }])
    expect(await client.listPage({ next: first.next })).toEqual({ plants: [{ name: 'plant 2' }] })
    expect((await client.listPage()).plants).toHaveLength(3)
    expect(await client.listPage({ limit: 0 })).toEqual({ plants: [] })
  })

  test.each([
    '<?cursor=2>; rel="next"',
    '<?cursor=2>;rel=next',
    '<?cursor=2> ; REL = "NEXT"',
    '<?cursor=2>; title="a, b; rel=\\"prev\\""; rel="last next"',
    '</first>; rel="first", <?cursor=2>; rel="next", </last>; rel=last',
    '<http://localhost/plants?cursor=2>; rel="next"',
    '</a,b;c>; rel="first", <plants?cursor=2>; rel="next"',
  ])('reads the link %s', async (link) => {
    const { client, requests } = answeredWith(
      Response.json([{ name: 'a' }], { headers: { link } }),
      Response.json([{ name: 'b' }]),
    )
    expect(await all(client.list())).toEqual([{ name: 'a' }, { name: 'b' }])
    expect(requests[1]!.url).toBe('http://localhost/plants?cursor=2')
  })

  test.each([
    '</x>; rel="prev"',
    '</x>; rel="nextish"',
    '</x>; title="; rel=next"',
    '</x>; rev="next"',
    'garbage',
    '',
  ])('sees no next page in the link %s', async (link) => {
    const { client } = answeredWith(Response.json([], { headers: { link } }))
    expect(await client.listPage()).toEqual({ plants: [] })
  })

  test('fails rather than lead the token to another origin', async () => {
    const link = '<http://evil.example/plants?cursor=2>; rel="next"'
    const { client, requests } = answeredWith(Response.json([], { headers: { link } }))
    const { message } = await failureOf(all(client.list()))
    expect(message).toContain('http://evil.example')
    expect(requests).toHaveLength(1)
  })

  test('fails as all calls do at a link that is no URL', async () => {
    const { client } = answeredWith(
      Response.json([], { headers: { link: '<http://[>; rel=next' } }),
    )
    expect(await failureOf(client.listPage())).toMatchObject({ error: 0, status: 200 })
  })

  test.each(['<?cursor=2>; rel="next"', '<?cursor=2#again>; rel="next"'])(
    'ends with a failure where %s leads to the page itself, as of a cache that ignores the query',
    async (link) => {
      const { client, requests } = answeredWith(
        ...['a', 'a', 'a'].map((name) => Response.json([{ name }], { headers: { link } })),
      )
      const seen: unknown[] = []
      const reading = (async () => {
        for await (const plant of client.list()) seen.push(plant)
      })()
      expect(await failureOf(reading)).toMatchObject({ error: 0, status: 200 })
      expect(seen).toEqual([{ name: 'a' }])
      expect(requests).toHaveLength(2)
    },
  )

  test('takes a link from where a redirect has led', async () => {
    const asked: string[] = []
    const baseUrl = await listen(({ url }, response) => {
      asked.push(url!)
      if (url!.startsWith('/plants')) response.writeHead(308, { location: '/v2/plants' }).end()
      else {
        const link: Record<string, string> = url!.includes('cursor')
          ? {}
          : { link: '<?cursor=2>; rel="next"' }
        response.writeHead(200, { 'content-type': 'application/json', ...link }).end('[]')
      }
    })
    const { next } = await clientOf({ baseUrl }).listPage()
    expect(next).toBe(`${baseUrl}/v2/plants?cursor=2`)
    expect(await clientOf({ baseUrl }).listPage({ next })).toEqual({ plants: [] })
    expect(asked).toEqual(['/plants', '/v2/plants', '/v2/plants?cursor=2'])
  })
})

describe('baseUrl', () => {
  test.each([
    'http://localhost/api/v1',
    'http://localhost/api/v1/',
    new URL('http://localhost/api/v1'),
  ])('may have a path: %s', async (baseUrl) => {
    const { fetch } = inMemory({ basePath: '/api/v1' })
    const client = clientOf({ baseUrl, fetch })
    for (const plant of numbered(3)) await client.create(plant)
    expect(await all(client.list({ limit: 2 }))).toHaveLength(3)
    await client.delete(0n)
  })

  test('has to be a URL', () => {
    expect(() => clientOf({ baseUrl: 'nonsense' })).toThrow(TypeError)
  })

  test.each([
    'http://alice@localhost',
    'http://:s3cret@localhost',
    'http://a:s3cret@localhost/api',
  ])('must have no user and no password, which are not repeated: %s', (baseUrl) => {
    const build = () => clientOf({ baseUrl })
    expect(build).toThrow(TypeError)
    expect(build).toThrow(/^baseUrl must have no user and no password$/)
  })
})

describe('a redirect to another origin', () => {
  const calls: [string, (client: ReturnType<typeof clientOf>) => Promise<unknown>][] = [
    ['create', (client) => client.create({ id: 1n, name: 'Fern' })],
    ['listPage', (client) => client.listPage()],
    ['delete', (client) => client.delete(1n)],
  ]

  test.each(calls)('has its answer to %s not believed', async (_, call) => {
    const other = await listen((request, response) => {
      if (request.method === 'DELETE') response.writeHead(204).end()
      else response.end(request.method === 'GET' ? '[{"name":"Fern"}]' : '{"name":"Fern"}')
    })
    const baseUrl = await listen(({ url }, response) => {
      response.writeHead(308, { location: `${other}${url}` }).end()
    })
    const failure = await failureOf(call(clientOf({ baseUrl })))
    expect(failure).toMatchObject({ error: 0, message: expect.stringContaining(other) })
  })

  test('cannot have the token refreshed', async () => {
    const asked: unknown[] = []
    const token = (refused?: string) => `t${asked.push(refused)}`
    const other = await listen((_, response) => response.writeHead(401).end())
    const baseUrl = await listen((_, response) => {
      response.writeHead(307, { location: `${other}/plants` }).end()
    })
    expect(await failureOf(clientOf({ baseUrl, token }).listPage())).toMatchObject({ status: 401 })
    expect(asked).toEqual([undefined])
  })
})

describe('a failure', () => {
  test.each([
    ['duplicate_id', (client) => client.create({ id: 0n, name: 'again' })],
    ['invalid_limit', (client) => client.listPage({ limit: -1 })],
    ['plant_not_found', (client) => client.delete(99n)],
  ] as [keyof typeof errors, (client: ReturnType<typeof clientOf>) => Promise<unknown>][])(
    'of the store has its error value, status and message: %s',
    async (name, call) => {
      const { client } = await withPlants(1)
      expect(await failureOf(call(client))).toMatchObject(errors[name])
    },
  )

  test.each([
    ['HTML', new Response('<h1>Bad Gateway</h1>', { status: 502 })],
    ['other JSON', Response.json({ error: 'bad_gateway' }, { status: 502 })],
    ['nothing', new Response(null, { status: 502 })],
  ])('of a proxy in front has its status and no error value: %s', async (_, answer) => {
    const { client } = answeredWith(answer)
    expect(await failureOf(client.delete(1n))).toMatchObject({ error: 0, status: 502 })
  })

  test('is an array of what is no plants', async () => {
    const { client } = answeredWith(Response.json([{ name: 'Fern' }, null]))
    expect(await failureOf(client.listPage())).toMatchObject({ error: 0, status: 200 })
  })

  test.each([
    ['HTML', () => new Response('<h1>Sign in</h1>')],
    ['other JSON', () => Response.json(null)],
  ])('is a success that is not the answer of a store: %s', async (_, answer) => {
    const { client } = answeredWith(answer(), answer(), answer())
    for (const call of [
      client.create({ id: 1n, name: 'Fern' }),
      client.listPage(),
      client.delete(1n),
    ]) {
      expect(await failureOf(call)).toMatchObject({ error: 0, status: 200 })
    }
  })

  test('is an answer that breaks off', async () => {
    const baseUrl = await listen((_, response) => {
      response.write('[{"name":"Monstera"},', () => response.destroy())
    })
    const failure = await failureOf(clientOf({ baseUrl }).listPage())
    expect(failure).toMatchObject({ error: 0, status: 200, cause: expect.any(Error) })
  })

  test('is a server that is not there', async () => {
    const baseUrl = await listen(() => {})
    servers.pop()!.close()
    const failure = await failureOf(clientOf({ baseUrl }).listPage())
    expect(failure).toMatchObject({ error: 0, status: 0, cause: expect.any(Error) })
  })
})

describe('token', () => {
  /** Gives these tokens one after another, and remembers what it was called with. */
  function tokens(...given: string[]) {
    const calls: (string | undefined)[] = []
    const token = async (refused?: string) => {
      calls.push(refused)
      return given.shift()!
    }
    return { token, calls }
  }

  test('may be a function, asked before every request', async () => {
    const { token, calls } = tokens('s3cret', 's3cret')
    const { fetch } = inMemory()
    const client = clientOf({ fetch, token })
    await client.create({ id: 1n, name: 'Monstera' })
    await client.delete(1n)
    expect(calls).toEqual([undefined, undefined])
  })

  test('is asked for again after a 401, and the request sent again', async () => {
    const { token, calls } = tokens('expired', 's3cret')
    const { fetch, kept } = inMemory()
    await clientOf({ fetch, token }).create({ id: 1n, name: 'Monstera' })
    expect(calls).toEqual([undefined, 'expired'])
    expect(kept()).toHaveLength(1)
  })

  test('that was refused leaves no answer unread, which would hold its connection', async () => {
    let cancelled = false
    const cancel = () => {
      cancelled = true
    }
    const answers = [
      new Response(new ReadableStream({ cancel }), { status: 401 }),
      Response.json([{ name: 'Fern' }]),
    ]
    const fetch = async () => answers.shift()!
    await clientOf({ fetch, ...tokens('expired', 's3cret') }).listPage()
    expect(cancelled).toBe(true)
  })

  test.each([
    [['expired', 'expired'], 1],
    [['expired', 'wrong-too', 's3cret'], 2],
  ])('is refused for good: %j', async (given, sent) => {
    const { fetch, requests } = inMemory()
    const failure = await failureOf(clientOf({ fetch, ...tokens(...given) }).listPage())
    expect(failure).toMatchObject(errors.invalid_token)
    expect(requests).toHaveLength(sent)
  })

  test.each(['s3cret\n', 's3\r\nx: cret', 's3cret\0', 's3cret\x7f', 's3cret€'])(
    'that no header can hold fails the call, and is not repeated: %j',
    async (unfit) => {
      const { fetch, requests } = inMemory()
      for (const token of [unfit, () => unfit]) {
        const error = await clientOf({ fetch, token })
          .listPage()
          .catch((error) => error)
        expect(error).toBeInstanceOf(TypeError)
        expect(error.message).toBe('The token is not text that a header can hold')
        expect(inspect(error)).not.toContain('cret')
      }
      expect(requests).toEqual([])
    },
  )

  test.each([undefined, null, 7, {}])('that is no string fails the call: %j', async (unfit) => {
    const { fetch, requests } = inMemory()
    const token = () => unfit as unknown as string
    await expect(clientOf({ fetch, token }).listPage()).rejects.toThrow(TypeError)
    const refreshed = (refused?: string) => (refused ? (unfit as unknown as string) : 'expired')
    await expect(clientOf({ fetch, token: refreshed }).listPage()).rejects.toThrow(TypeError)
    expect(requests).toHaveLength(1)
  })

  test('that cannot be had fails the call as it failed', async () => {
    const { fetch } = inMemory()
    const signedOut = new Error('signed out')
    const token = () => Promise.reject(signedOut)
    await expect(clientOf({ fetch, token }).listPage()).rejects.toBe(signedOut)
  })
})

describe('a signal', () => {
  const calls: [
    string,
    (options: Partial<PlantClientOptions>, signal: AbortSignal) => Promise<any>,
  ][] = [
    ['create', (o, signal) => clientOf(o).create({ id: 1n, name: 'Fern' }, { signal })],
    ['list', (o, signal) => all(clientOf(o).list({ signal }))],
    ['listPage', (o, signal) => clientOf(o).listPage({ signal })],
    ['delete', (o, signal) => clientOf(o).delete(1n, { signal })],
  ]

  test.each(calls)('that is aborted lets %s send nothing', async (_, call) => {
    const { fetch, requests } = inMemory()
    await expect(call({ fetch }, AbortSignal.abort('reason'))).rejects.toBe('reason')
    expect(requests).toEqual([])
  })

  test.each(calls)('ends %s over the network', async (_, call) => {
    const controller = new AbortController()
    const reason = new Error('reason')
    const closed = Promise.withResolvers<void>()
    const baseUrl = await listen((request) => {
      request.socket.once('close', () => closed.resolve())
      controller.abort(reason)
    })
    await expect(call({ baseUrl }, controller.signal)).rejects.toBe(reason)
    await closed.promise
  })

  test.each(calls)('ends %s even where nobody listens to it', async (_, call) => {
    const controller = new AbortController()
    const fetch = () => {
      controller.abort('reason')
      return new Promise<Response>(() => {})
    }
    await expect(call({ fetch }, controller.signal)).rejects.toBe('reason')
  })

  test('ends a list between two pages', async () => {
    const { client } = await withPlants(4)
    const controller = new AbortController()
    const names: string[] = []
    const reading = (async () => {
      for await (const { name } of client.list({ limit: 2, signal: controller.signal })) {
        names.push(name)
        controller.abort('reason')
      }
    })()
    await expect(reading).rejects.toBe('reason')
    expect(names).toEqual(['plant 0', 'plant 1'])
  })
})
