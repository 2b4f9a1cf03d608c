import { afterAll, describe, expect, it } from 'vitest'
import { serve } from '../../../adapters/node.ts'
import { connect } from '../../shared/wire.ts'
import { ask } from './ask.ts'
import { plants } from './plants.ts'

const server = await serve(plants(), { port: 0 })
afterAll(() => server.close())

const HOST = 'Host: garden\r\n'
const AUTH = 'Authorization: Bearer t\r\n'

const head = (line: string, fields = HOST + AUTH) => `${line} HTTP/1.1\r\n${fields}\r\n`
const get = (target: string) => head(`GET ${target}`)

// Other hosts build a URL, which resolves dot segments.
describe('a target that Node shows as it was sent', () => {
  it.each([
    'OPTIONS *',
    'GET /a/../plants',
    'GET /plants%zz',
    ...['/plants/.', '/plants/..', '/plants/%2e', '/plants/%2E.', '/plants/.%2e'].map(
      (path) => `DELETE ${path}`,
    ),
    'OPTIONS /plants/..',
  ])('has no route: %s', async (line) => {
    const answer = await ask(server.port, head(line))
    expect([answer!.status, JSON.parse(answer!.body)]).toMatchObject([404, { error: 40402 }])
  })
})

describe('serve over HTTP/1.1', () => {
  it.each([
    ['of 64 KiB keeps', `Content-Length: 65536\r\n`, undefined],
    ['of more ends', `Content-Length: 65537\r\n`, 'close'],
    ['of unknown size ends', 'Transfer-Encoding: chunked\r\n', 'close'],
  ])('an unread body %s the connection', async (_, framing, connection) => {
    const wire = await connect(server.port)
    wire.send(head('POST /plants', HOST + framing))
    const answer = await wire.receive()
    expect([answer!.status, answer!.headers.connection]).toEqual([401, connection ?? 'keep-alive'])
    if (!connection) {
      wire.send(' '.repeat(65_536) + get('/plants?limit=0'))
      expect(await wire.receive()).toMatchObject({ status: 200, body: '[]' })
    }
  })
})
