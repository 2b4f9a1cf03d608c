import { afterAll, describe, expect, it } from 'vitest'
import { createPlantStore, type PlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { sqliteStorage } from '../../src/storage/sqlite.ts'
import { checkAgainstDocument } from '../src/openapi/conformance.ts'

/** Owners that must not be taken for one another. */
const OWNERS = [
  ...[
    'alice',
    'Alice',
    'ALICE',
    ' alice',
    'alice ',
    'alice\t',
    'alice\n',
    'alice\u00a0',
    'alic',
    'alicea',
  ],
  // Look-alikes: Cyrillic, full width, zero width, direction marks, ligatures, dotless i.
  ...[
    'аlice',
    'ａlice',
    'alice\u200b',
    'al\u200dice',
    '\u202ealice',
    'alice\ufeff',
    'alıce',
    'alİce',
  ],
  // One to the eye, several in Unicode.
  ...['\u00e9', 'e\u0301', '\u00c5', '\u212b', 'A\u030a', '\ufb01', 'fi', '\u00df', 'ss', '\u1e9e'],
  ...['K', '\u212a', '\u2460', '1', '\uff11'],
  // Names that objects have already.
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'length'],
  // Text with a meaning in other languages.
  ...[
    "' OR '1'='1",
    "alice'--",
    'alice"; DROP TABLE plants;--',
    '%',
    '_',
    '*',
    'alice%',
    '?',
    '$1',
    ':owner',
  ],
  ...[
    '../bob',
    'alice/../bob',
    'alice/7',
    'alice:7',
    'alice|7',
    'alice,7',
    'a\u001fb',
    'a:b',
    '{"a":1}',
    '[]',
  ],
  ...[
    '0',
    '-0',
    '00',
    '1e0',
    '1.0',
    '0x1',
    'NaN',
    'null',
    'undefined',
    'true',
    'false',
    '[object Object]',
  ],
  ...['\u0001', '\u007f', '\u2028', '\uffff', '😀', '😀😀', '\u{10ffff}', '%00', '\\0', '\\u0000'],
  ...['x'.repeat(10_000), `${'x'.repeat(10_000)}y`, 'x'.repeat(255), 'x'.repeat(256)],
]
const ids = ['0', '7', '-7', '9223372036854775807', '-9223372036854775808']

const stores = { memory: memoryStorage(), sqlite: sqliteStorage(':memory:') }
afterAll(() => stores.sqlite.close?.())

describe.each(Object.entries(stores))('in %s storage', (_, storage) => {
  let owner = ''
  const store = createPlantStore(storage, () => ({ owner }))

  async function ask(as: string, method: string, path: string, body?: string) {
    owner = as
    return send(store, method, path, body)
  }

  it('each of many strange owners has plants of its own', async () => {
    expect(new Set(OWNERS).size).toBe(OWNERS.length)
    for (const [index, name] of OWNERS.entries()) {
      for (const id of ids) {
        const answer = await ask(name, 'POST', '/plants', `{"id":${id},"name":"of ${index}"}`)
        expect(answer.status).toBe(200)
      }
    }
    for (const [index, name] of OWNERS.entries()) {
      const { body } = await ask(name, 'GET', '/plants')
      expect(JSON.parse(body)).toEqual(Array(ids.length).fill({ name: `of ${index}` }))
    }
    for (const [index, name] of OWNERS.entries()) {
      if (index % 2 === 0) continue
      for (const id of ids) expect((await ask(name, 'DELETE', `/plants/${id}`)).status).toBe(204)
    }
    for (const [index, name] of OWNERS.entries()) {
      const plants = JSON.parse((await ask(name, 'GET', '/plants')).body)
      expect(plants).toHaveLength(index % 2 === 0 ? ids.length : 0)
    }
  })

  it("another's plant is, to every operation, no plant at all", async () => {
    await ask('victim', 'POST', '/plants', '{"id":42,"name":"secret orchid","tag":"rare"}')

    const theirs = await ask('mallory', 'DELETE', '/plants/42')
    expect(theirs).toEqual(await ask('mallory', 'DELETE', '/plants/43'))
    expect(theirs.status).toBe(404)

    expect((await ask('mallory', 'GET', '/plants')).body).toBe('[]')
    for (const cursor of ['0000000000000000', '8000000000000000', '0000000000000029']) {
      expect((await ask('mallory', 'GET', `/plants?cursor=${cursor}&limit=10`)).body).toBe('[]')
    }

    const created = await ask('mallory', 'POST', '/plants', '{"id":42,"name":"weed"}')
    expect(created).toEqual({
      ...(await ask('mallory', 'POST', '/plants', '{"id":43,"name":"weed"}')),
    })
    expect(created.status).toBe(200)
    const again = await ask('mallory', 'POST', '/plants', '{"id":42,"name":"weed"}')
    expect(JSON.parse(again.body).error).toBe(40003)
    expect(again.body).not.toMatch(/orchid|victim|mallory/)

    expect((await ask('mallory', 'DELETE', '/plants/42')).status).toBe(204)
    const { body } = await ask('victim', 'GET', '/plants')
    expect(body).toBe('[{"name":"secret orchid","tag":"rare"}]')
  })

  it('no owner can be given by the request', async () => {
    await ask('victim2', 'POST', '/plants', '{"id":1,"name":"secret fern"}')
    for (const path of [
      '/plants?owner=victim2',
      '/plants?sub=victim2&limit=5',
      '/plants#victim2',
    ]) {
      expect((await ask('mallory2', 'GET', path)).body).toBe('[]')
    }
    const body = '{"id":1,"name":"weed","owner":"victim2","__proto__":{"owner":"victim2"}}'
    await ask('mallory2', 'POST', '/plants', body)
    expect((await ask('mallory2', 'GET', '/plants')).body).toBe('[{"name":"weed"}]')
    expect((await ask('victim2', 'GET', '/plants')).body).toBe('[{"name":"secret fern"}]')
  })
})

describe('requests at the same time', () => {
  it('each have their own caller', async () => {
    const store = createPlantStore(memoryStorage(), async (token) => {
      await new Promise((resolve) => setTimeout(resolve, Number(token.at(-1))))
      return { owner: token }
    })
    const tokens = Array.from({ length: 200 }, (_, i) => `owner${i}`)
    const body = (token: string) => JSON.stringify({ id: 1, name: token })
    await Promise.all(tokens.map((token) => send(store, 'POST', '/plants', body(token), token)))
    const lists = await Promise.all(
      tokens.map((token) => send(store, 'GET', '/plants', undefined, token)),
    )
    expect(lists.map(({ body }) => body)).toEqual(tokens.map((name) => JSON.stringify([{ name }])))
  })
})

async function send(store: PlantStore, method: string, path: string, body?: string, token = 't') {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const request = new Request(`http://localhost${path}`, { method, headers, body })
  const response = checkAgainstDocument(
    { method, url: request.url, body },
    await store.fetch(request),
  )
  return {
    status: response.status,
    headers: [...response.headers],
    body: await response.text(),
  }
}
