import { afterAll, describe, expect, it } from 'vitest'
import { serve } from '../../../adapters/node.ts'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { createPlantStore } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { connect } from '../../shared/wire.ts'

const store = createPlantStore(memoryStorage(), staticTokens({ t: 'alice' }))
const server = await serve(store, { port: 0 })
afterAll(() => server.close())

const HOST = 'Host: garden\r\n'
const AUTH = 'Authorization: Bearer t\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'

const head = (line: string, fields = HOST + AUTH) => `${line}\r\n${fields}\r\n`
const get = (target: string) => head(`GET ${target} HTTP/1.1`)
const getWith = (fields: string) => head('GET /plants HTTP/1.1', HOST + AUTH + fields)
const getFrom = (host: string) => head('GET /plants HTTP/1.1', host + AUTH)
const post = (fields: string, body = '') =>
  head('POST /plants HTTP/1.1', HOST + AUTH + JSON_TYPE + fields) + body
const chunked = (body: string) => post('Transfer-Encoding: chunked\r\n', body)
describe('what Node accepts is answered, and its connection stays usable', () => {
  it.concurrent.each<[what: string, bytes: string, status: number, error?: number]>([
    [
      'HTTP/1.0 with keep-alive',
      head('GET /plants HTTP/1.0', `${AUTH}Connection: keep-alive\r\n`),
      200,
    ],
    ['TRACE', head('TRACE /plants HTTP/1.1'), 405, 40501],
    ['QUERY', head('QUERY /plants HTTP/1.1'), 405, 40501],
    ['OPTIONS *', head('OPTIONS * HTTP/1.1'), 404, 40402],
    ['an empty Host', getFrom('Host:\r\n'), 200],
    ['an absolute target with port and query', get('https://desert:8/plants?limit=0'), 200],
    ['an absolute target with a user', get('http://u:p@desert/plants'), 200],
    ['dot segments, which are compared as sent', get('/a/../plants'), 404, 40402],
    ...['/plants/.', '/plants/..', '/plants/%2e', '/plants/%2E.', '/plants/.%2e'].flatMap((path) =>
      ['GET', 'DELETE', 'OPTIONS', 'PUT'].map((method): [string, string, number, number] => [
        `${method} ${path}`,
        head(`${method} ${path} HTTP/1.1`),
        404,
        40402,
      ]),
    ),
    ['a malformed percent-encoding', get('/plants%zz'), 404, 40402],
    ['names of Object.prototype', getWith('__proto__: x\r\nconstructor: y\r\n'), 200],
    ['Latin-1 in a field', getWith('X: \xe9\r\n'), 200],
    ['a body of GET', `${getWith('Content-Length: 3\r\n')}abc`, 200],
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
})

describe('serve over HTTP/1.1', () => {
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
})
