import { afterAll, describe, expect, it } from 'vitest'
import { serve } from '../../../adapters/node.ts'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { createPlantStore } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { listen } from '../../shared/listen.ts'
import { connect } from '../../shared/wire.ts'

const store = createPlantStore(memoryStorage(), staticTokens({ t: 'alice' }))
const server = await serve(store, { port: 0 })
const bare = await listen((_, response) => response.writeHead(299).end())
afterAll(async () => {
  await Promise.all([bare.close(), server.close()])
})

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

async function statusOf(port: number, bytes: string): Promise<number | undefined> {
  const wire = await connect(port)
  wire.send(Buffer.from(bytes, 'latin1'))
  const answer = await wire.receive()
  wire.socket.destroy()
  return answer?.status
}

describe('what Node itself rejects, it rejects here with the same status', () => {
  it.concurrent.each([
    ['HTTP/9.9', head('GET /plants HTTP/9.9')],
    ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['bare LF', get('/plants').replaceAll('\r\n', '\n')],
    ['no target', head('GET HTTP/1.1')],
    ['nonsense', 'garbage\r\n\r\n'],
    ['a TLS client hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['an unknown method', head('BREW /plants HTTP/1.1')],
    ['CONNECT', head('CONNECT garden:80 HTTP/1.1')],
    ['no Host', getFrom('')],
    ['a target of 20 kB', get(`/plants?x=${'x'.repeat(20_000)}`)],
    ['a field of 10 MB', getWith(`X: ${'x'.repeat(10_000_000)}\r\n`)],
    ['a folded field', getWith('X: a\r\n b\r\n')],
    ['two Content-Lengths', post('Content-Length: 2\r\nContent-Length: 1\r\n', '{}')],
    [
      'Content-Length and Transfer-Encoding',
      post('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
    ],
    ['a space before a colon', getFrom('Host : garden\r\n')],
  ])('%s', async (_, bytes) => {
    const expected = await statusOf(bare.port, bytes)
    expect(expected).not.toBe(299)
    expect(await statusOf(server.port, bytes)).toBe(expected)
  })
})

describe('what Node accepts is answered, and its connection stays usable', () => {
  it.concurrent.each<[what: string, bytes: string, status: number, error?: number]>([
    [
      'HTTP/1.0 with keep-alive',
      head('GET /plants HTTP/1.0', `${AUTH}Connection: keep-alive\r\n`),
      200,
    ],
    ['TRACE', head('TRACE /plants HTTP/1.1'), 405, 40501],
    ['QUERY', head('QUERY /plants HTTP/1.1'), 405, 40501],
    ['GET of one plant', get('/plants/1'), 405, 40501],
    ['OPTIONS', head('OPTIONS /plants HTTP/1.1'), 204],
    ['OPTIONS *', head('OPTIONS * HTTP/1.1'), 404, 40402],
    ['an empty Host', getFrom('Host:\r\n'), 200],
    ['a port that no URL has', getFrom('Host: garden:99999\r\n'), 200],
    ['an absolute target', get('http://desert/plants'), 200],
    ['an absolute target with port and query', get('https://desert:8/plants?limit=0'), 200],
    ['an absolute target without a path', get('http://desert?/plants'), 404, 40402],
    ['an absolute target with a user', get('http://u:p@desert/plants'), 200],
    ['two slashes', get('//plants'), 404, 40402],
    ['a slash at the end', get('/plants/'), 404, 40402],
    ['dot segments, which are compared as sent', get('/a/../plants'), 404, 40402],
    ...['/plants/.', '/plants/..', '/plants/%2e', '/plants/%2E.', '/plants/.%2e'].flatMap((path) =>
      ['GET', 'DELETE', 'OPTIONS', 'PUT'].map((method): [string, string, number, number] => [
        `${method} ${path}`,
        head(`${method} ${path} HTTP/1.1`),
        404,
        40402,
      ]),
    ),
    ['an encoded letter in the path', get('/%70lants'), 404, 40402],
    ['a malformed percent-encoding', get('/plants%zz'), 404, 40402],
    ['a name of Object.prototype', get('/__proto__'), 404, 40402],
    ['an id with a dot', head('DELETE /plants/7.0 HTTP/1.1'), 400, 40006],
    ['an id with an encoded slash', head('DELETE /plants/7%2F8 HTTP/1.1'), 400, 40006],
    ['a malformed percent-encoding in an id', head('DELETE /plants/%zz HTTP/1.1'), 400, 40006],
    ['Authorization twice', getWith(AUTH), 401, 40101],
    ['two Authorizations', getWith('Authorization: Bearer u\r\n'), 401, 40101],
    ['Content-Type twice', post(`${JSON_TYPE}Content-Length: 2\r\n`, '{}'), 415, 41501],
    ['names of Object.prototype', getWith('__proto__: x\r\nconstructor: y\r\n'), 200],
    ['Latin-1 in a field', getWith('X: \xe9\r\n'), 200],
    ['a body', sized(plant()), 200],
    ['no body', post(''), 400, 40001],
    ['a body of GET', `${getWith('Content-Length: 3\r\n')}abc`, 200],
    [
      'a body that is not read',
      `${head('POST /plants HTTP/1.1', `${HOST}Content-Length: 2\r\n`)}{}`,
      401,
      40101,
    ],
    ['chunks', chunked(`${[...plant()].map(chunk).join('')}0\r\n\r\n`), 200],
    ['trailers', chunked('2\r\n{}\r\n0\r\nAuthorization: Bearer u\r\nX: y\r\n\r\n'), 400, 40002],
  ])('%s', async (_, bytes, status, error) => {
    const wire = await connect(server.port)
    wire.send(Buffer.from(bytes, 'latin1'))
    const answer = await wire.receive()
    expect(answer?.status).toBe(status)
    expect(error === undefined ? undefined : JSON.parse(answer!.body).error).toBe(error)
    wire.send(get('/next'))
    expect(await wire.receive()).toMatchObject({ status: 404 })
    wire.socket.destroy()
  })

  it('deletes the plant of an encoded id', async () => {
    const created = plant()
    expect(await statusOf(server.port, sized(created))).toBe(200)
    const encoded = [...`${JSON.parse(created).id}`].map((digit) => `%3${digit}`).join('')
    expect(await statusOf(server.port, head(`DELETE /plants/${encoded} HTTP/1.1`))).toBe(204)
  })
})

describe('serve over HTTP/1.1', () => {
  it('answers pipelined requests in order', async () => {
    const wire = await connect(server.port)
    wire.send(sized(plant()) + get('/nowhere') + get('/plants') + head('PUT /plants HTTP/1.1'))
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await wire.receive())?.status)
    expect(statuses).toEqual([200, 404, 200, 405])
    wire.socket.destroy()
  })

  it.each([
    ['GET', '/plants?limit=0', '2'],
    ['HEAD', '/plants?limit=0', '2'],
    ['OPTIONS', '/plants', undefined],
    ['DELETE', '/plants/-1', '49'],
  ])(
    'announces the length of a body, where there is one: %s %s',
    async (method, target, length) => {
      const wire = await connect(server.port)
      wire.send(head(`${method} ${target} HTTP/1.1`))
      const answer = await wire.receive({ toHead: method === 'HEAD' })
      expect(answer!.headers['content-length']).toBe(length)
      expect(answer!.headers['transfer-encoding']).toBeUndefined()
      wire.socket.destroy()
    },
  )

  it.each([
    ['of 64 KiB keeps', `Content-Length: 65536\r\n`, undefined],
    ['of more ends', `Content-Length: 65537\r\n`, 'close'],
    ['of unknown size ends', 'Transfer-Encoding: chunked\r\n', 'close'],
  ])('an unread body %s the connection', async (_, framing, connection) => {
    const wire = await connect(server.port)
    wire.send(head('POST /plants HTTP/1.1', HOST + framing))
    const answer = await wire.receive()
    expect([answer!.status, answer!.headers.connection]).toEqual([401, connection ?? 'keep-alive'])
    if (!connection) {
      wire.send(' '.repeat(65_536) + get('/plants?limit=0'))
      expect(await wire.receive()).toMatchObject({ status: 200, body: '[]' })
    }
    wire.socket.destroy()
  })

  it('answers HEAD without a body, at unknown paths too', async () => {
    const wire = await connect(server.port)
    for (const [target, status] of [['/plants', 200] as const, ['/nowhere', 404] as const]) {
      wire.send(head(`HEAD ${target} HTTP/1.1`))
      expect(await wire.receive({ toHead: true })).toMatchObject({ status })
    }
    wire.send(get('/nowhere'))
    expect(await wire.receive()).toMatchObject({ status: 404 })
    wire.socket.destroy()
  })
})
