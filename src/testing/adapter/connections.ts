import { freshOwner, freshToken, type TestRequest } from './exchange.ts'
import type { HostUnderTest } from './host.ts'
import { type AdapterRules, checkAnswer, checkRow, type Expected, ensure } from './rule.ts'
import { WRAPPER_HEADER } from './test-store.ts'

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
      ]),
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
