import { show } from '../violation.ts'
import { freshOwner, freshToken, type TestRequest } from './exchange.ts'
import type { HostUnderTest } from './host.ts'
import { type AdapterRules, checkAnswer, checkRow, type Expected, ensure } from './rule.ts'
import { WRAPPER_HEADER } from './test-store.ts'

/** How long to wait for what a host need not send. */
const QUIET_MS = 1000
/** Hosts close an idle connection after five seconds or more. */
const BEFORE_IDLE_MS = 3000

const get = (path: string, token: string | null = freshToken()): TestRequest => ({
  method: 'GET',
  path,
  token,
})
const post = (body: string): TestRequest => ({
  method: 'POST',
  path: '/plants',
  token: freshToken(),
  body,
})

export const connections: AdapterRules = {
  'content-length': {
    says: 'a short response announces its length in bytes',
    advice:
      'Send Content-Length with a body that is a string: its length in bytes of UTF-8, not in characters.',
    over: ['1.1'],
    async check(host) {
      for (const [request, expected] of [
        [post('{"id":1,"name":"ä🌵"}'), { status: 200, json: { name: 'ä🌵' } }],
        [get('/plants'), { status: 200, json: [] }],
        [get('/plants?limit=x'), { status: 400, error: 'invalid_limit' }],
      ] as [TestRequest, Expected][]) {
        const answer = await host.send(request)
        checkAnswer(request, answer, expected)
        const length = new TextEncoder().encode(answer.text).length
        const problem = `Content-Length must be ${length}, without Transfer-Encoding`
        const announced = answer.headers.get('content-length')
        const isRight = announced === `${length}` && !answer.headers.has('transfer-encoding')
        ensure(isRight, problem, request, answer)
      }
    },
  },

  pipelining: {
    says: 'pipelined requests are answered in their order',
    advice:
      'Leave the order to the host: respond through the response object that belongs to the request, and do not write to the socket.',
    over: ['1.1'],
    async check(host) {
      const requests: [TestRequest, Expected][] = [
        [get('/plants', `owner-${freshOwner('late')}`), { status: 200, json: [{ name: 'late' }] }],
        [post('{"id":1,"name":"second"}'), { status: 200, json: { name: 'second' } }],
        [get('/plants', null), { status: 401, error: 'missing_token' }],
        [get('/plants', `owner-${freshOwner('late')}`), { status: 200, json: [{ name: 'late' }] }],
        [get('/plants?limit=0'), { status: 200, json: [] }],
      ]
      const connection = await host.connect()
      for (const [request] of requests) void connection.send(host.encode(request))
      for (const [index, [request, expected]] of requests.entries()) {
        const answer = await connection.receive(request)
        ensure(
          answer !== undefined,
          `Of ${requests.length} pipelined requests, ${index} were answered`,
          request,
        )
        checkAnswer(request, answer, expected)
      }
    },
  },

  'keep-alive': {
    says: 'a connection serves one request after another, unless a response says that it closes',
    advice: 'End every response, also of HEAD, OPTIONS and 204, and write no body to these.',
    over: ['1.1'],
    check: (host) =>
      sendInTurn(host, [
        [{ ...get('/plants'), method: 'HEAD' }, 200],
        [{ ...get('/plants'), method: 'OPTIONS' }, 204],
        [get('/plants', `owner-${freshOwner('medium')}`), 200],
        [post('{"id":1,"name":"a"}'), 200],
        [{ ...post('{"id":1,"name":"a"}'), isStreamed: true }, 200],
        [{ ...get('/plants/1'), method: 'DELETE' }, 404],
        [get('/plants'), 200],
      ]),
  },

  'unread-body': {
    says: 'a body that the store has not read is not taken for the next request',
    advice:
      'Read and drop what the store has not read of a body, or send Connection: close and close the connection.',
    over: ['1.1'],
    check: (host) =>
      sendInTurn(host, [
        [{ ...post('{"id":1,"name":"not read"}'), token: null }, 401],
        [get('/plants'), 200],
        [{ ...post('{"id":1,"name":"not read"}'), token: null, isStreamed: true }, 401],
        [get('/plants'), 200],
        [{ ...post('{"id":1,"name":"not read"}'), path: '/plants/7' }, 405],
        [get('/plants'), 200],
        [{ ...post('{"id":1,"name":"not read"}'), method: 'DELETE', path: '/plants/7' }, 404],
        [get('/plants'), 200],
      ]),
  },

  'connection-close': {
    says: 'a connection is closed after the response, if the client asks for it',
    advice:
      'Close the connection after a response to Connection: close, and after one of HTTP/1.0 without keep-alive (RFC 9112, section 9.6).',
    over: ['1.0', '1.1'],
    async check(host) {
      const fields = host.version === '1.0' ? [] : [['connection', 'close'] as const]
      const request = { ...get('/plants'), fields }
      const connection = await host.connect()
      void connection.send(host.encode(request))
      const answer = await connection.receive(request)
      ensure(answer !== undefined, 'The connection was closed without a response', request)
      checkAnswer(request, answer, { status: 200, json: [] })
      await connection.ended(BEFORE_IDLE_MS)
    },
  },

  fragments: {
    says: 'a request that comes byte by byte is the same as one that comes at once',
    advice:
      'Collect the head until its end, and the body as bytes: a line, the size of a chunk or a character may come in two parts. Decode a body only when it is complete.',
    over: ['1.1'],
    async check(host) {
      await Promise.all(
        [false, true].map(async (isStreamed) => {
          const request = { ...post('{"id":1,"name":"ä🌵"}'), isStreamed }
          const connection = await host.connect()
          for (const byte of host.encode(request)) {
            await connection.send(Uint8Array.of(byte))
            // Otherwise they leave in one packet.
            await new Promise((resolve) => setTimeout(resolve))
          }
          const answer = await connection.receive(request)
          ensure(answer !== undefined, 'The connection was closed without a response', request)
          checkAnswer(request, answer, { status: 200, json: { name: 'ä🌵' } })
        }),
      )
    },
  },

  'expect-continue': {
    says: 'a client that waits for 100 Continue before it sends its body gets it',
    advice:
      'Send "HTTP/1.1 100 Continue" when the store calls readBody, if the request has Expect: 100-continue: curl sends it with large bodies (RFC 9110, section 10.1.1).',
    over: ['1.1'],
    async check(host) {
      const request = post('{"id":1,"name":"a"}')
      const head = { ...request, fields: [['expect', '100-continue']] as const }
      const bytes = host.encode(head)
      const body = bytes.slice(-request.body!.length)
      const connection = await host.connect()
      void connection.send(bytes.slice(0, -body.length))
      const interim = await connection.receive(head)
      ensure(interim?.status === 100, 'The client must get 100 Continue first', head, interim)
      void connection.send(body)
      const answer = await connection.receive(head)
      ensure(answer !== undefined, 'The connection was closed without a response', head)
      checkAnswer(head, answer, { status: 200, json: { name: 'a' } })
    },
  },

  'smuggled-request': {
    says: 'what is sent as a body is never served as a request',
    advice:
      'Refuse a request whose body has no certain end with 400, and close the connection: a space before the colon of a field, an unknown Transfer-Encoding, or one beside Content-Length (RFC 9112, sections 5.1 and 6.1). After a body that was refused, do not read the rest as a request.',
    over: ['1.1'],
    async check(host) {
      const late = { isLate: true, token: null }
      await Promise.all([
        smuggle(host, (length) => [['content-length ', `${length}`]]),
        smuggle(host, () => [['transfer-encoding', 'xchunked']]),
        smuggle(
          host,
          (length) => [
            ['content-length', `${length}`],
            ['transfer-encoding', 'chunked'],
          ],
          { start: '0\r\n\r\n' },
        ),
        smuggle(host, (length) => [['content-length', `${length}`]], late),
        smuggle(host, () => [['content-length', '100000000']], { isLate: true }),
      ])
    },
  },

  'half-close': {
    says: 'a client that ends its side after its request gets its response',
    advice:
      'Take the end of the client’s side for the end of the request, and only a closed connection for a hang-up. node:http itself ends such a connection if the response is not ready at once, unless the undocumented server.httpAllowHalfOpen is true.',
    over: ['1.1'],
    async check(host) {
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const request = get('/plants')
          const connection = await host.connect()
          void connection.send(host.encode(request))
          connection.end()
          const answer = await connection.receive(request)
          ensure(answer !== undefined, 'The connection was closed without a response', request)
          checkAnswer(request, answer, { status: 200, json: [] })
        }),
      )
    },
  },

  'failing-wrapper': {
    says: 'an app’s wrapper of the store that throws or rejects gets the client a 500',
    advice:
      'Use getReply(store, request), or catch what store.handle throws and send internalErrorReply(error, request), or pass the error on to the host’s error handler.',
    async check(host) {
      for (const failure of ['throw', 'reject']) {
        const fields = [[WRAPPER_HEADER, failure]] as const
        await checkRow(host, { ...get('/plants'), fields, status: 500, isHosts: true })
      }
      await checkRow(host, { ...get('/plants'), status: 200 })
    },
  },
}

/**
 * Sends a request whose body is itself a request, which must not reach the store.
 *
 * @param isLate whether the body is sent after the response
 * @param start what the body begins with
 */
async function smuggle(
  host: HostUnderTest,
  fieldsFor: (length: number) => NonNullable<TestRequest['fields']>,
  { isLate = false, start = '', token = freshToken() as string | null } = {},
): Promise<void> {
  const owner = freshOwner()
  const hidden = new TextDecoder().decode(host.encode(get('/plants', `owner-${owner}`)))
  const body = start + hidden
  const contentType = 'application/json'
  const request = { method: 'POST', path: '/plants', token, contentType }
  const outer = { ...request, fields: fieldsFor(body.length) }
  const connection = await host.connect()
  await connection.send(host.encode(outer))
  if (!isLate) await connection.send(body)
  // A host that waits for the whole body doesn't respond before it.
  const answer = await connection.receive(outer, QUIET_MS).catch(() => undefined)
  if (isLate) await connection.send(body)
  connection.end()
  await connection.ended(QUIET_MS).catch(() => {})
  const { reads } = await host.report(owner)
  ensure(reads === 0, `The body was served as a request: ${show(body)}`, outer, answer)
}

/** Sends each request on the connection of the one before it, if that has not said that it closes. */
async function sendInTurn(
  host: HostUnderTest,
  requests: readonly (readonly [request: TestRequest, status: number])[],
): Promise<void> {
  let connection = await host.connect()
  for (const [request, status] of requests) {
    void connection.send(host.encode(request))
    const answer = await connection.receive(request)
    ensure(answer !== undefined, 'The connection was closed without a response', request)
    checkAnswer(request, answer, { status })
    if (answer.headers.get('connection')?.toLowerCase() !== 'close') continue
    connection = await host.connect()
  }
}
