import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AuthVerifier, Caller } from '../../src/auth-verifier.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { createPlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { checkAgainstDocument } from '../src/openapi/conformance.ts'
import { outputOf } from './output.ts'

const TOKEN = 'eyJ0aGlzIjoidGhlIHRva2VuIn0.s3cret/~token+=='
const OWNER = 'the-owner-alice'
const SCOPES = ['plants:read', 'plants:write']

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

/** Asks for all operations with this verifier, and says what each is answered, and what is printed. */
async function attack(verify: AuthVerifier) {
  const reached: string[] = []
  const answers = new Set<string>()
  const seen: string[] = []
  const store = createPlantStore(forbiddenStorage(reached), verify)
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
  // Each test has a second of its own, since what is printed in a second is limited.
  let seconds = 0
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 * ++seconds })
  })
  afterEach(() => void vi.useRealTimers())

  it.each<[string, () => unknown]>([
    ['an Error with token and owner in its properties', () => leaky(new Error('x'))],
    ['the token', () => TOKEN],
    ['an object', () => ({ token: TOKEN, owner: OWNER })],
    ['undefined', () => undefined],
    ['a Caller', () => ({ owner: OWNER })],
    ['a failure of 200', () => ({ status: 200, reply: { status: 200, body: '[]' } })],
    ['what can not be printed', () => Object.create(null)],
  ])('by throwing or rejecting with %s', async (_, make) => {
    expect((await attack(throwing(make))).answers).toEqual(['503 50302'])
    expect((await attack(async () => throwing(make)())).answers).toEqual(['503 50302'])
  })

  it('and the error is printed without the token', async () => {
    const { output } = await attack(throwing(() => new Error(`GET /check/${TOKEN}`)))
    expect(output).toContain('Error: GET /check/[token]\n')
  })
})

it('what a verifier answers too late changes nothing', async () => {
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

describe('a verifier that answers with no Caller lets nobody in', () => {
  it.each<[string, unknown, string]>([
    ['null', null, '401 40102'],
    ['an owner with toString', { owner: { toString: () => OWNER } }, '500 50001'],
    ['a boxed owner', { owner: new String(OWNER) }, '500 50001'],
    ['a Promise of an owner', { owner: Promise.resolve(OWNER) }, '500 50001'],
    ['null as owner', { owner: null }, '500 50001'],
    ['an owner with U+0000', { owner: `${OWNER}\0` }, '500 50001'],
    ['an owner with a lone surrogate', { owner: `${OWNER}\ud800` }, '500 50001'],
    ['null as scopes', { owner: OWNER, scopes: null }, '500 50001'],
    ['a Set as scopes', { owner: OWNER, scopes: new Set(SCOPES) }, '500 50001'],
    ['scopes that include all', { owner: OWNER, scopes: { includes: () => true } }, '500 50001'],
    ['no scope', { owner: OWNER, scopes: [] }, '403 40301'],
    ['unknown scopes', { owner: OWNER, scopes: ['*', 'plants', 'plants:*'] }, '403 40301'],
    ['scopes in another case', { owner: OWNER, scopes: ['Plants:Read'] }, '403 40301'],
    ['scopes in one text', { owner: OWNER, scopes: [SCOPES.join(' ')] }, '403 40301'],
    ['scopes in a list of lists', { owner: OWNER, scopes: [SCOPES] }, '403 40301'],
  ])('%s', async (_, answer, expected) => {
    expect((await attack((() => answer) as AuthVerifier)).answers).toEqual([expected])
    expect((await attack((async () => answer) as AuthVerifier)).answers).toEqual([expected])
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
    await store.fetch(requestOf('GET', '/plants?owner=victim&sub=victim'))
    expect(asked).toEqual([OWNER])
  })
})
