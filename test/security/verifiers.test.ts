import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AuthVerifier, Caller } from '../../src/auth-verifier.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { createPlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { checkAgainstDocument } from '../src/openapi/conformance.ts'
import { outputOf } from './output.ts'

const TOKEN = 'eyJ0aGlzIjoidGhlIHRva2VuIn0.s3cret/~token+=='
const OWNER = 'the-owner-alice'

const OPERATIONS = [
  ['GET', '/plants'],
  ['HEAD', '/plants'],
  ['POST', '/plants'],
  ['DELETE', '/plants/7'],
] as const

/** A storage that nobody must reach. */
function forbiddenStorage(calls: string[]): PlantStorage {
  const forbidden = (name: string) => () => {
    calls.push(name)
    throw new Error('Somebody got in')
  }
  return { create: forbidden('create'), list: forbidden('list'), delete: forbidden('delete') }
}

function requestOf(method: string, path: string): Request {
  return new Request(`http://localhost${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: method === 'POST' ? '{"id":7,"name":"Monstera"}' : undefined,
  })
}

/**
 * Asks for all operations with this verifier, and says what each is answered, and what is printed. The default
 * timeout is one that no busy machine exceeds.
 */
async function attack(verify: AuthVerifier, timeoutMs = 600_000) {
  const reached: string[] = []
  const answers = new Set<string>()
  const seen: string[] = []
  const store = createPlantStore(forbiddenStorage(reached), verify, { timeoutMs })
  const output = await outputOf(async () => {
    for (const [method, path] of OPERATIONS) {
      const request = requestOf(method, path)
      const response = checkAgainstDocument(request, await store.fetch(request))
      const body = await response.text()
      seen.push(body, JSON.stringify([...response.headers]))
      const { error } = method === 'HEAD' ? { error: 'HEAD' } : JSON.parse(body)
      if (method !== 'HEAD') answers.add(`${response.status} ${error}`)
      expect(response.status).toBeGreaterThanOrEqual(400)
    }
  })
  expect(reached).toEqual([])
  for (const part of [...seen, output]) {
    expect(part).not.toContain(TOKEN)
    expect(part).not.toContain(encodeURIComponent(TOKEN))
    expect(part).not.toContain(String(new URLSearchParams({ '': TOKEN })).slice(1))
    expect(part).not.toContain(OWNER)
  }
  return { answers: [...answers], output }
}

const throwing = (make: () => unknown) => () => {
  throw make()
}
const leaky = (error: object) =>
  Object.assign(error, {
    config: { headers: { Authorization: `Bearer ${TOKEN}` } },
    payload: { sub: OWNER },
    detail: `Key (owner)=(${OWNER})`,
  })

describe('a verifier that fails makes 503, and says nothing of the token', () => {
  const failures: [string, () => unknown][] = [
    ['an Error with the token in it', () => new Error(`cannot check ${TOKEN}`)],
    ['an Error with the token in its URL', () => new Error(`GET /?t=${encodeURIComponent(TOKEN)}`)],
    [
      'an Error with the token in a form',
      () => new Error(`POST ${new URLSearchParams({ token: TOKEN })}`),
    ],
    ['an Error with the token in its cause', () => new Error('x', { cause: new Error(TOKEN) })],
    ['an Error with the token as its cause', () => new Error('x', { cause: TOKEN })],
    ['an Error with token and owner in its properties', () => leaky(new Error('x'))],
    ['many Errors with the token in them', () => new AggregateError([new Error(TOKEN)], 'many')],
    ['the token', () => TOKEN],
    ['an object', () => ({ token: TOKEN, owner: OWNER })],
    ['undefined', () => undefined],
    ['a Caller', () => ({ owner: OWNER })],
    [
      'what looks like a failure of 200',
      () => ({ status: 200, reply: { status: 200, body: '[]' } }),
    ],
    [
      'an Error that is its own cause',
      () => {
        const error = new Error('x')
        error.cause = error
        return error
      },
    ],
    ['what can not be printed', () => Object.create(null)],
    [
      'an Error that can not be read',
      () => Object.defineProperty(new Error('x'), 'stack', { get: throwing(() => new Error('y')) }),
    ],
  ]

  // Each test has a second of its own, since what is printed in a second is limited.
  let seconds = 0
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 * ++seconds })
  })
  afterEach(() => void vi.useRealTimers())

  it.each(failures)('by throwing %s', async (_, make) => {
    expect((await attack(throwing(make))).answers).toEqual(['503 50302'])
    expect((await attack((_token, _request) => throwing(make)())).answers).toEqual(['503 50302'])
  })

  it.each(failures)('by rejecting with %s', async (_, make) => {
    expect((await attack(async () => throwing(make)())).answers).toEqual(['503 50302'])
  })

  it('and the cause is printed without the token', async () => {
    const { output } = await attack(
      throwing(
        () =>
          new Error(`GET /check/${TOKEN}`, {
            cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
          }),
      ),
    )
    expect(output).toContain('Error: GET /check/[token]\n')
    expect(output).toContain('caused by: Error: refused\n')
    expect(output).toContain('code: ECONNREFUSED')
  })
})

describe('a verifier that does not answer in time makes 503', () => {
  it.each<[string, () => unknown]>([
    ['never', () => new Promise(() => {})],
    // biome-ignore lint/suspicious/noThenProperty: that is the attack
    ['never, as a thenable', () => ({ then() {} })],
    ['late', () => new Promise((resolve) => setTimeout(resolve, 500, { owner: OWNER }))],
    [
      'late, with a failure',
      () => new Promise((_, reject) => setTimeout(reject, 500, new Error(TOKEN))),
    ],
  ])('%s', async (_, answer) => {
    expect((await attack(answer as AuthVerifier, 10)).answers).toEqual(['503 50303'])
  })

  it('and what it answers too late changes nothing', async () => {
    const late = Promise.withResolvers<Caller>()
    const reached: string[] = []
    const store = createPlantStore(forbiddenStorage(reached), () => late.promise, {
      timeoutMs: 5,
      onError() {},
    })
    const response = await store.fetch(requestOf('POST', '/plants'))
    late.resolve({ owner: OWNER })
    await late.promise
    await new Promise(setImmediate)
    expect([response.status, reached]).toEqual([503, []])
  })
})

describe('a verifier that answers with no Caller lets nobody in', () => {
  const thrower = { get: throwing(() => new Error(`${TOKEN} ${'x'}`)), enumerable: true }
  const answers: [string, () => unknown, string][] = [
    ['null', () => null, '401 40102'],
    ['undefined', () => undefined, '500 50001'],
    ...(
      [
        ['true', () => true],
        ['the owner as text', () => OWNER],
        ['a list', () => [{ owner: OWNER }]],
        ['an Error', () => new Error(TOKEN)],
        ['a Response', () => new Response('{}')],
        ['an empty owner', () => ({ owner: '' })],
        ['a numeric owner', () => ({ owner: 7 })],
        ['an owner with toString', () => ({ owner: { toString: () => OWNER } })],
        ['a boxed owner', () => ({ owner: new String(OWNER) })],
        ['a Promise of an owner', () => ({ owner: Promise.resolve(OWNER) })],
        ['null as owner', () => ({ owner: null })],
        ['an owner with U+0000', () => ({ owner: `${OWNER}\0` })],
        ['an owner with a lone surrogate', () => ({ owner: `${OWNER}\ud800` })],
        ['an owner that throws', () => Object.defineProperty({}, 'owner', thrower)],
        [
          'an owner that is there but once',
          () => {
            let reads = 0
            return {
              get owner() {
                return reads++ === 0 ? '' : OWNER
              },
            }
          },
        ],
        ['scopes that throw', () => Object.defineProperty({ owner: OWNER }, 'scopes', thrower)],
        ['scopes, misspelt', () => ({ owner: OWNER, scope: ['plants:read'] })],
        ['scopes as text', () => ({ owner: OWNER, scopes: 'plants:read plants:write' })],
        ['null as scopes', () => ({ owner: OWNER, scopes: null })],
        [
          'a Set as scopes',
          () => ({ owner: OWNER, scopes: new Set(['plants:read', 'plants:write']) }),
        ],
        [
          'scopes that say they include all',
          () => ({ owner: OWNER, scopes: { includes: () => true } }),
        ],
        ['a Proxy that throws', () => new Proxy({}, { get: thrower.get })],
      ] as [string, () => unknown][]
    ).map(([name, make]): [string, () => unknown, string] => [name, make, '500 50001']),
    ...Object.entries({
      'no scope': [],
      'unknown scopes': ['*', 'plants', 'plants:*', 'admin'],
      'scopes in another case': ['Plants:Read', 'PLANTS:WRITE'],
      'scopes in one text': ['plants:read plants:write'],
      'scopes in a list of lists': [['plants:read', 'plants:write']],
    }).map(([name, scopes]): [string, () => unknown, string] => [
      name,
      () => ({ owner: OWNER, scopes }),
      '403 40301',
    ]),
  ]
  const thenable = (value: unknown): any => ({
    // biome-ignore lint/suspicious/noThenProperty: that is the attack
    then: (resolve: (value: unknown) => void) => resolve(value),
  })

  it.each(answers)('%s', async (name, make, expected) => {
    // A Proxy whose every property throws does so at once when it is asked whether it is a promise.
    const now = name === 'a Proxy that throws' ? '503 50302' : expected
    expect((await attack(make as AuthVerifier)).answers).toEqual([now])
    expect((await attack(((_token: string) => make()) as AuthVerifier)).answers).toEqual([now])
    expect((await attack((async () => make()) as AuthVerifier)).answers).toEqual([now])
    expect((await attack(() => thenable(make()))).answers).toEqual([now])
    expect((await attack(() => thenable(thenable(make())))).answers).toEqual([now])
  })

  it('an owner is read once, so what was checked is what is used', async () => {
    const asked: string[] = []
    const storage: PlantStorage = {
      ...memoryStorage(),
      list(owner) {
        asked.push(owner)
        return []
      },
    }
    const store = createPlantStore(storage, () => {
      const owners = [OWNER, '', 'victim']
      return {
        get owner() {
          return owners.shift()!
        },
      }
    })
    await store.fetch(requestOf('GET', '/plants'))
    expect(asked).toEqual([OWNER])
  })
})
