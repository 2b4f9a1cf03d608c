import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AuthVerifier, Caller } from '../../src/auth-verifier.ts'
import { createPlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { checkAgainstDocument } from '../src/openapi/conformance.ts'
import { outputOf } from './output.ts'

const TOKEN = 'eyJ0aGlzIjoidGhlIHRva2VuIn0.s3cret/~token+=='
const OWNER = 'the-owner-alice'
const SCOPES = ['plants:read', 'plants:write']

const OPERATIONS = [
  ['GET', '/plants'],
  ['POST', '/plants'],
  ['DELETE', '/plants/7'],
] as const

function requestOf(method: string, path: string): Request {
  return new Request(`http://localhost${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: method === 'POST' ? '{"id":7,"name":"Monstera"}' : undefined,
  })
}

/** Asks for all operations with this verifier, and says what each is answered, and what is printed. */
async function attack(verify: AuthVerifier) {
  const answers = new Set<string>()
  const seen: string[] = []
  const reached = vi.fn(() => {
    throw new Error('Somebody got in')
  })
  const store = createPlantStore({ create: reached, list: reached, delete: reached }, verify)
  const output = await outputOf(async () => {
    for (const [method, path] of OPERATIONS) {
      const request = requestOf(method, path)
      const response = checkAgainstDocument(request, await store.fetch(request))
      const body = await response.text()
      seen.push(body, JSON.stringify([...response.headers]))
      answers.add(`${response.status} ${JSON.parse(body).error}`)
    }
  })
  expect(reached).not.toHaveBeenCalled()
  for (const secret of [TOKEN, OWNER]) expect([...seen, output].join()).not.toContain(secret)
  return { answers: [...answers], output }
}

const throwing = (make: () => unknown) => () => {
  throw make()
}
/** An error as those of HTTP clients and drivers. */
const leaky = () =>
  Object.assign(new Error('x'), {
    config: { headers: { Authorization: `Bearer ${TOKEN}` } },
    detail: `Key (owner)=(${OWNER})`,
  })

// Each test has a second of its own, since what is printed in a second is limited.
let seconds = 0
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 * ++seconds })
})
afterEach(() => void vi.useRealTimers())

describe('a verifier that fails makes 503, and says nothing of the token', () => {
  it.each<[string, () => unknown]>([
    ['an Error with token and owner in its properties', leaky],
    ['the token', () => TOKEN],
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

describe('a verifier that answers with no Caller lets nobody in', () => {
  const CALLER =
    'The verifier must return null or { owner }, with a non-empty owner without U+0000 or a lone surrogate; got'
  const NOT_SCOPES = 'with an array of granted scopes as scopes; got'
  it.each<[unknown, string]>([
    [undefined, `${CALLER} undefined\n`],
    [{ sub: OWNER }, `${CALLER} an object without owner`],
    [{ owner: '' }, `${CALLER} an empty string as owner`],
    [{ owner: `${OWNER}\0` }, `${CALLER} an owner with U+0000 or a lone surrogate`],
    [{ owner: `${OWNER}\ud800` }, `${CALLER} an owner with U+0000 or a lone surrogate`],
    [{ owner: OWNER, scopes: null }, `${NOT_SCOPES} null`],
    [{ owner: OWNER, scopes: SCOPES.join(' ') }, `${NOT_SCOPES} a string`],
    [{ owner: OWNER, scope: SCOPES }, `${NOT_SCOPES} scope`],
  ])('500, and says what it was: %o', async (returned, message) => {
    for (const verify of [() => returned, async () => returned]) {
      const { answers, output } = await attack(verify as AuthVerifier)
      expect(answers).toEqual(['500 50001'])
      expect(output).toContain(message)
    }
  })

  it.each<{ scopes: unknown }>([
    { scopes: [] },
    { scopes: ['*', 'plants', 'plants:*', 'Plants:Read'] },
    { scopes: [SCOPES.join(' ')] },
    { scopes: [SCOPES] },
  ])('403 for the scopes $scopes', async ({ scopes }) => {
    const verify = () => ({ owner: OWNER, scopes }) as Caller
    expect((await attack(verify)).answers).toEqual(['403 40301'])
  })
})

it('a verifier that changes the headers of its request, and reads its body, does no harm', async () => {
  const store = createPlantStore(memoryStorage(), async (_token, { request }) => {
    request.headers.set('content-type', 'text/plain')
    request.headers.delete('authorization')
    return { owner: `alice${await request.text()}` }
  })
  const response = await store.fetch(requestOf('POST', '/plants'))
  expect([response.status, await response.json()]).toEqual([200, { name: 'Monstera' }])
})

it('an owner is read once, so what was checked is what is used', async () => {
  const list = vi.fn(() => [])
  const owners = [OWNER, '', 'victim']
  const caller = {
    get owner() {
      return owners.shift()!
    },
  }
  const store = createPlantStore({ ...memoryStorage(), list }, () => caller)
  await store.fetch(requestOf('GET', '/plants'))
  expect(list).toHaveBeenCalledExactlyOnceWith(OWNER, expect.anything(), expect.anything())
})
