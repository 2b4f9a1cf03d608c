import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type RunningServer, serve } from '../../../adapters/node.ts'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { createPlantStore } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { connect } from '../wire.ts'

let server: RunningServer
beforeAll(async () => {
  const store = createPlantStore(memoryStorage(), staticTokens({ t: 'alice' }))
  server = await serve(store, { port: 0 })
})
afterAll(() => server.close())

type After = 'stays' | 'closes'
type Case = [what: string, bytes: string, status: number, after: After, error?: number]

const HOST = 'Host: garden\r\n'
const AUTH = 'Authorization: Bearer t\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'

const head = (line: string, fields = HOST + AUTH) => `${line}\r\n${fields}\r\n`
const get = (target: string) => head(`GET ${target} HTTP/1.1`)
const getWith = (fields: string) => head('GET /plants HTTP/1.1', HOST + AUTH + fields)
const getFrom = (host: string) => head('GET /plants HTTP/1.1', host + AUTH)
const post = (fields: string, body = '') =>
  head('POST /plants HTTP/1.1', HOST + AUTH + JSON_TYPE + fields) + body
const sized = (body: string) => post(`Content-Length: ${Buffer.byteLength(body)}\r\n`, body)
const chunked = (body: string) => post('Transfer-Encoding: chunked\r\n', body)
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

let lastId = 0
const plant = () => `{"id":${++lastId},"name":"Aloe"}`

const tables: Record<string, Case[]> = {
  'request lines': [
    ['HTTP/1.1', get('/plants'), 200, 'stays'],
    ['HTTP/1.0', head('GET /plants HTTP/1.0', AUTH), 200, 'closes'],
    [
      'HTTP/1.0, kept',
      head('GET /plants HTTP/1.0', `${AUTH}Connection: keep-alive\r\n`),
      200,
      'stays',
    ],
    ['HTTP/1.1, closed', getWith('Connection: close\r\n'), 200, 'closes'],
    ['HTTP/0.9', 'GET /plants\r\n\r\n', 400, 'closes'],
    ['HTTP/1.2', head('GET /plants HTTP/1.2'), 400, 'closes'],
    ['HTTP/2.0', head('GET /plants HTTP/2.0'), 400, 'closes'],
    ['HTTP/9.9', head('GET /plants HTTP/9.9'), 400, 'closes'],
    ['http/1.1 in small letters', head('GET /plants http/1.1'), 400, 'closes'],
    ['HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'closes'],
    ['a space after the version', head('GET /plants HTTP/1.1 '), 400, 'closes'],
    ['a tab for a space', head('GET\t/plants HTTP/1.1'), 400, 'closes'],
    ['an empty line before it', `\r\n${get('/plants')}`, 200, 'stays'],
    ['a space before it', ` ${get('/plants')}`, 400, 'closes'],
    ['bare LF', get('/plants').replaceAll('\r\n', '\n'), 400, 'closes'],
    ['bare LF after the request line', get('/plants').replace('\r\n', '\n'), 400, 'closes'],
    ['bare CR', get('/plants').replaceAll('\r\n', '\r'), 400, 'closes'],
    ['no target', head('GET HTTP/1.1'), 400, 'closes'],
    ['no HTTP', 'garbage\r\n\r\n', 400, 'closes'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'closes'],
    ['NULs', '\0\0\0\0', 400, 'closes'],
  ],
  methods: [
    ['get in small letters', head('get /plants HTTP/1.1'), 400, 'closes'],
    ['an unknown method', head('BREW /plants HTTP/1.1'), 400, 'closes'],
    ['PUT', head('PUT /plants HTTP/1.1'), 405, 'stays', 40501],
    ['TRACE', head('TRACE /plants HTTP/1.1'), 405, 'stays', 40501],
    ['QUERY', head('QUERY /plants HTTP/1.1'), 405, 'stays', 40501],
    ['GET of one plant', get('/plants/1'), 405, 'stays', 40501],
    ['OPTIONS', head('OPTIONS /plants HTTP/1.1'), 204, 'stays'],
    ['CONNECT', head('CONNECT garden:80 HTTP/1.1'), 400, 'closes'],
    ['CONNECT with a path', head('CONNECT /plants HTTP/1.1'), 400, 'closes'],
    [
      'an upgrade to WebSocket',
      getWith('Connection: Upgrade\r\nUpgrade: websocket\r\n'),
      200,
      'closes',
    ],
    ['an upgrade to h2c', getWith('Connection: Upgrade\r\nUpgrade: h2c\r\n'), 200, 'closes'],
  ],
  'Host (RFC 9112, section 3.2)': [
    ['none', getFrom(''), 400, 'closes'],
    ['empty', getFrom('Host:\r\n'), 200, 'stays'],
    ['an address and a port', getFrom('Host: 127.0.0.1:80\r\n'), 200, 'stays'],
    ['an IPv6 address', getFrom('Host: [::1]:80\r\n'), 200, 'stays'],
    ['a port that no URL has', getFrom('Host: garden:99999\r\n'), 200, 'stays'],
    ['two that are equal', getFrom(HOST + HOST), 400, 'closes'],
    ['two that differ', getFrom(`${HOST}HOST: desert\r\n`), 400, 'closes'],
    ['a space', getFrom('Host: gar den\r\n'), 400, 'closes'],
    ['a path', getFrom('Host: garden/plants\r\n'), 400, 'closes'],
    ['a user', getFrom('Host: alice@garden\r\n'), 400, 'closes'],
    ['a port of letters', getFrom('Host: garden:http\r\n'), 400, 'closes'],
    ['Latin-1', getFrom('Host: g\xe4rden\r\n'), 400, 'closes'],
    ['a space before the colon', getFrom('Host : garden\r\n'), 400, 'closes'],
  ],
  'targets (RFC 9112, section 3.2)': [
    ['absolute-form', get('http://desert/plants'), 200, 'stays'],
    ['absolute-form with port and query', get('https://desert:8/plants?limit=0'), 200, 'stays'],
    ['absolute-form in capitals', get('HTTP://DESERT/plants'), 200, 'stays'],
    ['absolute-form without path', get('http://desert'), 404, 'stays', 40402],
    ['absolute-form without path, query', get('http://desert?/plants'), 404, 'stays', 40402],
    ['absolute-form without host', get('http:///plants'), 400, 'closes'],
    ['absolute-form with a bad port', get('http://desert:99999/plants'), 400, 'closes'],
    ['absolute-form with a user', get('http://u:p@desert/plants'), 400, 'closes'],
    ['absolute-form of another scheme', get('ftp://desert/plants'), 400, 'closes'],
    ['absolute-form, no Host', head('GET http://desert/plants HTTP/1.1', AUTH), 400, 'closes'],
    ['authority-form', get('garden:80'), 400, 'closes'],
    ['asterisk-form for OPTIONS', head('OPTIONS * HTTP/1.1'), 204, 'stays'],
    ['asterisk-form for GET', get('*'), 400, 'closes'],
    ['no slash', get('plants'), 400, 'closes'],
    ['a query alone', get('?limit=1'), 400, 'closes'],
    ['dot segments', get('/a/../plants'), 200, 'stays'],
    ['encoded dot segments', get('/a/%2E%2e/plants'), 200, 'stays'],
    ['backslashes', get('/a\\..\\plants'), 200, 'stays'],
    ['two slashes', get('//plants'), 404, 'stays', 40402],
    ['two slashes and a host', get('//garden/plants'), 404, 'stays', 40402],
    ['a slash at the end', get('/plants/'), 404, 'stays', 40402],
    ['a fragment', get('/plants#x'), 400, 'closes'],
    ['an encoded letter', get('/%70lants'), 404, 'stays', 40402],
    ['an encoded slash', get('/plants%2F7'), 404, 'stays', 40402],
    ['no percent-encoding', get('/plants%zz'), 404, 'stays', 40402],
    ['a name of Object.prototype', get('/__proto__'), 404, 'stays', 40402],
    ['an encoded id', head('DELETE /plants/%37 HTTP/1.1'), 400, 'stays', 40006],
    ['an id with a dot', head('DELETE /plants/7.0 HTTP/1.1'), 400, 'stays', 40006],
    ['an id that climbs', head('DELETE /plants/.. HTTP/1.1'), 404, 'stays', 40402],
    ['NUL', get('/plants\0'), 400, 'closes'],
    ['a control character', get('/plants\x01'), 400, 'closes'],
    ['a byte beyond ASCII', get('/plants\xff'), 400, 'closes'],
    ['8 kB', get(`/plants?x=${'x'.repeat(8000)}`), 200, 'stays'],
    ['20 kB', get(`/plants?x=${'x'.repeat(20_000)}`), 431, 'closes'],
  ],
  'header fields': [
    ['Authorization twice', getWith(AUTH), 401, 'stays', 40101],
    ['two Authorizations', getWith('Authorization: Bearer u\r\n'), 401, 'stays', 40101],
    ['Content-Type twice', post(`${JSON_TYPE}Content-Length: 2\r\n`, '{}'), 415, 'stays', 41501],
    ['names of Object.prototype', getWith('__proto__: x\r\nconstructor: y\r\n'), 200, 'stays'],
    ['Latin-1 in a value', getWith('X: \xe9\r\n'), 200, 'stays'],
    ['a folded value', getWith('X: a\r\n b\r\n'), 400, 'closes'],
    ['a space before the colon', getWith('X : a\r\n'), 400, 'closes'],
    ['no colon', getWith('X\r\n'), 400, 'closes'],
    ['no name', getWith(': x\r\n'), 400, 'closes'],
    ['a name that is no token', getWith('X(): x\r\n'), 400, 'closes'],
    ['NUL in a value', getWith('X: a\0b\r\n'), 400, 'closes'],
    ['CR in a value', getWith('X: a\rb\r\n'), 400, 'closes'],
    ['DEL in a value', getWith('X: \x7f\r\n'), 400, 'closes'],
    ['20 kB', getWith(`X: ${'x'.repeat(20_000)}\r\n`), 431, 'closes'],
    ['10 MB', getWith(`X: ${'x'.repeat(10_000_000)}\r\n`), 431, 'closes'],
    ['5000 fields', getWith('X: x\r\n'.repeat(5000)), 431, 'closes'],
  ],
  'Content-Length': [
    ['right', sized(plant()), 200, 'stays'],
    ['none', post(''), 400, 'stays', 40001],
    ['zero', post('Content-Length: 0\r\n'), 400, 'stays', 40001],
    ['a space after it', post('Content-Length: 2 \r\n', '{}'), 400, 'stays', 40002],
    ['an empty line after the body', `${sized('{}')}\r\n`, 400, 'stays', 40002],
    ['on GET', `${getWith('Content-Length: 3\r\n')}abc`, 200, 'stays'],
    [
      'with 401',
      `${head('POST /plants HTTP/1.1', `${HOST}Content-Length: 2\r\n`)}{}`,
      401,
      'stays',
      40101,
    ],
    ['beyond maxBodyBytes', post('Content-Length: 1048577\r\n', '{'), 413, 'closes', 41301],
    ['beyond 2^53', post('Content-Length: 9007199254740993\r\n'), 413, 'closes', 41301],
    ['beyond 2^64', post('Content-Length: 99999999999999999999\r\n'), 400, 'closes'],
    ['empty', post('Content-Length:\r\n'), 400, 'closes'],
    ['negative', post('Content-Length: -1\r\n'), 400, 'closes'],
    ['with a plus', post('Content-Length: +2\r\n', '{}'), 400, 'closes'],
    ['hexadecimal', post('Content-Length: 0x2\r\n', '{}'), 400, 'closes'],
    ['a list', post('Content-Length: 2, 2\r\n', '{}'), 400, 'closes'],
    ['twice', post('Content-Length: 2\r\nContent-Length: 2\r\n', '{}'), 400, 'closes'],
    ['two', post('Content-Length: 2\r\nContent-Length: 1\r\n', '{}'), 400, 'closes'],
  ],
  'Transfer-Encoding (RFC 9112, section 6.1)': [
    ['chunked', chunked(`${chunk(plant())}0\r\n\r\n`), 200, 'stays'],
    [
      'in capitals',
      post('TRANSFER-ENCODING: CHUNKED\r\n', `${chunk(plant())}0\r\n\r\n`),
      200,
      'stays',
    ],
    ['many chunks', chunked(`${[...plant()].map(chunk).join('')}0\r\n\r\n`), 200, 'stays'],
    ['in HTTP/1.0', chunked(`${chunk(plant())}0\r\n\r\n`).replace('1.1', '1.0'), 400, 'closes'],
    [
      'after Content-Length',
      post('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
      400,
      'closes',
    ],
    [
      'before Content-Length',
      post('Transfer-Encoding: chunked\r\nContent-Length: 3\r\n', '0\r\n\r\n'),
      400,
      'closes',
    ],
    ['gzip', post('Transfer-Encoding: gzip\r\n'), 400, 'closes'],
    ['gzip, chunked', post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'), 400, 'closes'],
    ['chunked, gzip', post('Transfer-Encoding: chunked, gzip\r\n', '0\r\n\r\n'), 400, 'closes'],
    [
      'chunked twice',
      post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
      400,
      'closes',
    ],
    ['identity', post('Transfer-Encoding: identity\r\n'), 400, 'closes'],
    ['xchunked', post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'), 400, 'closes'],
    [
      'a vertical tab before it',
      post('Transfer-Encoding: \x0bchunked\r\n', '0\r\n\r\n'),
      400,
      'closes',
    ],
    [
      'a space before the colon',
      post('Transfer-Encoding : chunked\r\n', '0\r\n\r\n'),
      400,
      'closes',
    ],
    ['quoted', post('Transfer-Encoding: "chunked"\r\n', '0\r\n\r\n'), 400, 'closes'],
    ['a parameter', post('Transfer-Encoding: chunked;q=1\r\n', '0\r\n\r\n'), 400, 'closes'],
    ['empty', post('Transfer-Encoding:\r\n'), 400, 'closes'],
  ],
  'chunks (RFC 9112, section 7.1)': [
    ['extensions', chunked('2;a=b;c="d"\r\n{}\r\n0\r\n\r\n'), 400, 'stays', 40002],
    [
      'trailers',
      chunked('2\r\n{}\r\n0\r\nAuthorization: Bearer u\r\nX: y\r\n\r\n'),
      400,
      'stays',
      40002,
    ],
    ['no size', chunked('zz\r\n{}\r\n0\r\n\r\n'), 400, 'closes'],
    ['a negative size', chunked('-1\r\n{}\r\n0\r\n\r\n'), 400, 'closes'],
    ['0x before the size', chunked('0x2\r\n{}\r\n0\r\n\r\n'), 400, 'closes'],
    ['a space after the size', chunked('2 \r\n{}\r\n0\r\n\r\n'), 400, 'closes'],
    ['a size beyond 2^64', chunked('fffffffffffffffff\r\n{}\r\n0\r\n\r\n'), 400, 'closes'],
    ['more than the size', chunked('2\r\n{}}}\r\n0\r\n\r\n'), 400, 'closes'],
    ['bare LF', chunked('2\n{}\n0\n\n'), 400, 'closes'],
    ['bare LF in an extension', chunked('2;a\nx\r\n{}\r\n0\r\n\r\n'), 400, 'closes'],
    [
      'an extension of 20 kB',
      chunked(`2;a=${'b'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
      413,
      'closes',
    ],
    ['a trailer that is none', chunked('2\r\n{}\r\n0\r\nX y\r\n\r\n'), 400, 'closes'],
    [
      'a trailer of 20 kB',
      chunked(`2\r\n{}\r\n0\r\nX: ${'b'.repeat(20_000)}\r\n\r\n`),
      431,
      'closes',
    ],
  ],
}

const asLatin1 = (text: string) => Buffer.from(text, 'latin1')

describe.each(Object.entries(tables))('%s', (_, cases) => {
  test.concurrent.each(cases)('%s', async (_what, bytes, status, after, error) => {
    const wire = await connect(server.port)
    wire.send(asLatin1(bytes))

    const answer = await wire.receive()
    expect(answer?.status).toBe(status)
    expect(error === undefined ? undefined : JSON.parse(answer!.body).error).toBe(error)
    if (after === 'stays') {
      // What stands for a next request must not be what is left of this one.
      wire.send(get('/next'))
      expect(await wire.receive()).toMatchObject({ status: 404 })
    } else {
      expect(await wire.receive()).toBeNull()
    }
    wire.socket.destroy()
  })
})

describe('pipelined requests', () => {
  test('may be many', async () => {
    const warned = vi.fn()
    process.on('warning', warned)
    const wire = await connect(server.port)
    wire.send(sized(plant()) + get('/plants?limit=0').repeat(30))
    for (let i = 0; i < 31; i++) expect(await wire.receive()).toMatchObject({ status: 200 })
    wire.socket.destroy()
    process.off('warning', warned)
    expect(warned).not.toHaveBeenCalled()
  })

  test('are answered in order', async () => {
    const wire = await connect(server.port)
    const created = plant()
    wire.send(sized(created) + get('/nowhere') + sized(created) + head('PUT /plants HTTP/1.1'))
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await wire.receive())?.status)
    expect(statuses).toEqual([200, 404, 400, 405])
    wire.socket.destroy()
  })

  test('run one after the other', async () => {
    const wire = await connect(server.port)
    const created = plant()
    const { id } = JSON.parse(created)
    const remove = head(`DELETE /plants/${id} HTTP/1.1`)
    wire.send(sized(created) + remove + sized(created) + remove + remove)
    const statuses = []
    for (let i = 0; i < 5; i++) statuses.push((await wire.receive())?.status)
    expect(statuses).toEqual([200, 204, 200, 204, 404])
    wire.socket.destroy()
  })

  test('keep their answers when a bad body follows', async () => {
    const wire = await connect(server.port)
    const created = plant()
    const { id } = JSON.parse(created)
    wire.send(sized(created) + head(`DELETE /plants/${id} HTTP/1.1`) + chunked('zz\r\n'))
    expect(await wire.receive()).toMatchObject({ status: 200 })
    expect(await wire.receive()).toMatchObject({ status: 204 })
    expect(await wire.receive()).toMatchObject({ status: 400, headers: { connection: 'close' } })
    expect(await wire.receive()).toBeNull()
    wire.socket.destroy()
  })

  test('keep their answers when garbage follows, which gets its own', async () => {
    const wire = await connect(server.port)
    wire.send(`${sized(plant())}garbage\r\n\r\n`)
    expect(await wire.receive()).toMatchObject({ status: 200 })
    expect(await wire.receive()).toMatchObject({ status: 400, headers: { connection: 'close' } })
    expect(await wire.receive()).toBeNull()
    wire.socket.destroy()
  })
})

test('a client that ends its side after the request gets its answer', async () => {
  const wire = await connect(server.port)
  wire.socket.end(get('/plants?limit=0'))
  expect(await wire.receive()).toMatchObject({ status: 200, body: '[]' })
  expect(await wire.receive()).toBeNull()
  wire.socket.destroy()
})

test('HEAD is answered without a body, at paths that are not the store’s too', async () => {
  const wire = await connect(server.port)
  for (const [target, status] of [['/plants', 200] as const, ['/nowhere', 404] as const]) {
    wire.send(head(`HEAD ${target} HTTP/1.1`))
    expect(await wire.receive({ toHead: true })).toMatchObject({ status })
  }
  wire.send(get('/nowhere'))
  expect(await wire.receive()).toMatchObject({ status: 404 })
  wire.socket.destroy()
})
