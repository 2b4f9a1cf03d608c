import { afterAll, describe, expect, it } from 'vitest'
import { type RunningServer, serve } from '../../adapters/node.ts'
import { staticTokens } from '../../src/auth/tokens.ts'
import { createPlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { sendRaw } from '../shared/wire.ts'
import { outputOf } from './output.ts'

// Padding and all characters of token68: what is right in one place must be right in all.
const TOKEN = 's3cret-._~+/==' as const
const MISSING = 40101
const INVALID = 40102

const store = createPlantStore(memoryStorage(), staticTokens({ [TOKEN]: 'alice', '0': 'zero' }))
const server: RunningServer = await serve(store, { port: 0 })
afterAll(() => server.close())

/** A value of the header, and `error` of the answer; 200 where it is good. */
const VALUES: [name: string, value: string, answer: number][] = [
  ['as it should be', `Bearer ${TOKEN}`, 200],
  ['lower case', `bearer ${TOKEN}`, 200],
  ['1000 spaces', `Bearer${' '.repeat(1000)}${TOKEN}`, 200],
  ['space around', ` \t Bearer ${TOKEN} \t `, 200],

  ['nothing', '', MISSING],
  ['the scheme alone', 'Bearer', MISSING],
  ['the scheme twice', `Bearer Bearer ${TOKEN}`, MISSING],
  ['a tab', `Bearer\t${TOKEN}`, MISSING],
  ['a space and a tab', `Bearer \t${TOKEN}`, MISSING],
  ['an equals sign', `Bearer=${TOKEN}`, MISSING],
  ['%20 for a space', `Bearer%20${TOKEN}`, MISSING],
  ['a non-breaking space', `Bearer\xa0${TOKEN}`, MISSING],
  ['a word behind', `Bearer ${TOKEN} x`, MISSING],
  ['a comma behind', `Bearer ${TOKEN},`, MISSING],
  ['a list', `Bearer ${TOKEN}, Bearer ${TOKEN}`, MISSING],
  ['a parameter for the token', `Bearer token="${TOKEN}"`, MISSING],
  ['double quotes', `Bearer "${TOKEN}"`, MISSING],
  ['padding alone', 'Bearer ==', MISSING],
  ['padding inside', 'Bearer s3=cret', MISSING],
  ['a byte above ASCII', 'Bearer s3crét', MISSING],
  ['a scheme in UTF-8', `${Buffer.from('Bearеr').toString('latin1')} ${TOKEN}`, MISSING],
  ['a longer scheme', `Bearers ${TOKEN}`, MISSING],
  ['Basic', `Basic ${btoa(`alice:${TOKEN}`)}`, MISSING],
  ['DPoP', `DPoP ${TOKEN}`, MISSING],

  ['the owner as a token', 'Bearer alice', INVALID],
  ['another case', `Bearer ${TOKEN.toUpperCase()}`, INVALID],
  ['one character less', `Bearer ${TOKEN.slice(0, -1)}`, INVALID],
  ['one character more', `Bearer ${TOKEN}=`, INVALID],
  ['the URL-safe form', 'Bearer s3cret-._~-_==', INVALID],
  ['a prefix', 'Bearer s', INVALID],
  ['8000 characters', `Bearer ${'x'.repeat(8000)}`, INVALID],
  ...[
    ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty'],
    ...['__defineGetter__', 'isPrototypeOf', 'length', 'size', 'get', 'then', 'toJSON'],
    ...['undefined', 'null', 'true', 'false', 'NaN', 'Infinity', '-0', '1', 'object'],
  ].map((word): [string, string, number] => [word, `Bearer ${word}`, INVALID]),
]

describe('Authorization through fetch', () => {
  it.each(VALUES)('%s', async (_, value, answer) => {
    for (const method of ['GET', 'HEAD', 'POST']) {
      const headers = { authorization: value, 'content-type': 'application/json' }
      const body = method === 'POST' ? '{' : undefined
      const request = new Request('http://localhost/plants', { method, headers, body })
      const response = await store.fetch(request)
      if (answer === 200) {
        expect(response.status).toBe(method === 'POST' ? 400 : 200)
        continue
      }
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe(challenge(answer))
      if (method !== 'HEAD') expect((await response.json()).error).toBe(answer)
    }
  })

  it('of 100 kB and of 5 MB', async () => {
    for (const length of [100_000, 5_000_000]) {
      for (const value of ['Bearer ', `Bearer ${' '.repeat(length)}`, 'Bearer =']) {
        const headers = { authorization: value + 'x'.repeat(length) }
        const response = await store.fetch(new Request('http://localhost/plants', { headers }))
        expect(response.status).toBe(401)
      }
    }
  })
})

/** Lines of a head, and the status; with `error` where there is a body. */
const HEADS: [name: string, lines: string[], status: number, error?: number][] = [
  ['the name in another case', [`aUTHORIZATION: Bearer ${TOKEN}`], 200],
  ['no space behind the colon', [`Authorization:Bearer ${TOKEN}`], 200],
  ['100 kB of token', [`Authorization: Bearer ${'x'.repeat(100_000)}`], 431],
  ['100 kB of other headers', [`X: ${'x'.repeat(100_000)}`, `Authorization: Bearer ${TOKEN}`], 431],
  ...Object.entries({
    'no header': [],
    'the good one first': [`Authorization: Bearer ${TOKEN}`, 'Authorization: Bearer x'],
    'the good one last': ['Authorization: Bearer x', `Authorization: Bearer ${TOKEN}`],
    'an empty one last': [`Authorization: Bearer ${TOKEN}`, 'Authorization:'],
    'another between': [`Authorization: Bearer ${TOKEN}`, 'X: y', 'AUTHORIZATION: x'],
    'X-Authorization': [`X-Authorization: Bearer ${TOKEN}`],
    'a cookie': [`Cookie: Authorization=Bearer ${TOKEN}; token=${TOKEN}`],
    'the owner in a header': ['X-User: alice', 'X-Owner: alice', 'Remote-User: alice'],
  }).map(([name, lines]): [string, string[], number, number] => [name, lines, 401, MISSING]),
]

function sendLines(lines: string[]) {
  const head = ['GET /plants HTTP/1.1', 'Host: localhost', 'Connection: close', ...lines, '', '']
  return sendRaw(server.port, head.join('\r\n'))
}

describe('Authorization over HTTP', () => {
  it.each(HEADS)('%s', async (_, lines, status, error) => {
    const answer = await sendLines(lines)
    expect(answer.status).toBe(status)
    if (error === undefined) return
    expect(JSON.parse(answer.body).error).toBe(error)
    expect(answer.headers['www-authenticate']).toBe(challenge(error))
    expect(JSON.stringify(answer)).not.toMatch(/s3cret|alice/)
  })

  it.each<[string, string, number]>([
    ['in the query', `GET /plants?access_token=${TOKEN} HTTP/1.1\r\nHost: a\r\n`, 401],
    [
      'in the user of the URL',
      `GET http://alice:${TOKEN}@localhost/plants HTTP/1.1\r\nHost: a\r\n`,
      404,
    ],
    [
      'in a form (RFC 6750, section 2.2)',
      `POST /plants HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 19\r\n\r\naccess_token=s3cret`,
      401,
    ],
    [
      'in a trailer',
      `POST /plants HTTP/1.1\r\nHost: a\r\nTrailer: Authorization\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nAuthorization: Bearer ${TOKEN}\r\n`,
      401,
    ],
    ['of HTTP/1.0', `GET /plants HTTP/1.0\r\nAuthorization: Bearer x\r\n`, 401],
  ])('%s', async (_, head, status) => {
    const [line, ...rest] = head.split('\r\n')
    const bytes = [line, 'Connection: close', ...rest, ''].join('\r\n')
    expect((await sendRaw(server.port, bytes)).status).toBe(status)
  })

  it('is never printed', async () => {
    const output = await outputOf(async () => {
      for (const [, lines] of HEADS) await sendLines(lines)
    })
    expect(output).toBe('')
  })
})

function challenge(error: number): string {
  return error === MISSING
    ? 'Bearer realm="plants"'
    : 'Bearer realm="plants", error="invalid_token"'
}
