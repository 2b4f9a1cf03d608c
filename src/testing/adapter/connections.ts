import { assertKept, show } from '../framework.ts'
import { ensure, plantsOf } from './ensure.ts'
import {
  CHUNKED,
  CREATE,
  contentLength,
  DELETE,
  type Field,
  freshOwner,
  LIST,
  toBytes,
  withFields,
} from './exchange.ts'
import type { HostUnderTest } from './host.ts'
import { type AdapterRules, checkRow, type Row, receive } from './rule.ts'
import { WRAPPER_HEADER } from './test-store.ts'

/** The time to wait for what a host may leave out. */
const QUIET_MS = 1000
/** Hosts close an idle connection after five seconds or more. */
const BEFORE_IDLE_MS = 3000

/** A list of an owner of this kind. */
const listOf = (kind: string) => ({ ...LIST, token: `owner-${freshOwner(kind)}` })
const UNICODE = { ...CREATE, body: '{"id":ID,"name":"ä🌵"}', json: { name: 'ä🌵' } }

export const connections: AdapterRules = {
  'content-length': {
    says: 'a short response announces its length in bytes',
    advice:
      'Send Content-Length with a body that is a string: its length in bytes of UTF-8, not in characters.',
    over: ['1.1'],
    async check(host) {
      for (const row of [
        UNICODE,
        { ...LIST, path: '/plants?limit=0', json: [] },
        { ...LIST, path: '/plants?limit=x', error: 'invalid_limit' },
      ] as Row[]) {
        const request = host.prepare(row)
        const answer = await checkRow(host, request)
        const { length } = toBytes(answer.text)
        const announced = answer.headers.get('content-length')
        ensure(announced === `${length}`, `Content-Length must be ${length}`, request, answer)
      }
    },
  },

  pipelining: {
    says: 'pipelined requests are answered in their order',
    advice:
      'Leave the order to the host: respond through the response object that belongs to the request, and do not write to the socket.',
    over: ['1.1'],
    needs: 'a storage that is slow',
    async check(host) {
      const late = () => ({ ...listOf('late'), json: [{ name: 'late' }] })
      const rows: Row[] = [
        late(),
        UNICODE,
        { ...LIST, token: null, error: 'missing_token' },
        late(),
        { ...LIST, path: '/plants?limit=0', json: [] },
      ]
      const connection = await host.connect()
      const requests = rows.map((row) => host.prepare(row))
      for (const request of requests) void connection.send(host.encode(request))
      for (const [index, request] of requests.entries()) {
        const problem = `Of ${requests.length} pipelined requests, ${index} were answered`
        await receive(host, connection, request, problem)
      }
    },
  },

  'keep-alive': {
    says: 'a connection serves one request after another, unless a response says that it closes',
    advice:
      'End every response, also of HEAD, OPTIONS and 204, and write no body to these. Remove the listeners that you add to the connection for each request, and to the response for each part.',
    over: ['1.1'],
    async check(host) {
      const rows = [
        { ...LIST, method: 'HEAD' },
        { ...LIST, method: 'OPTIONS', status: 204 },
        CREATE,
        { ...DELETE, status: 404 },
        LIST,
      ]
      let leak = ''
      function onWarning({ name, message }: Error): void {
        if (name === 'MaxListenersExceededWarning') leak ||= message
      }
      // Node warns of the eleventh listener, if the host runs in this process.
      process.on('warning', onWarning)
      const long = host.deployment ? LIST : listOf('medium')
      await sendInTurn(host, [
        long,
        ...Array(host.deployment ? 2 : 11)
          .fill(rows)
          .flat(),
      ]).finally(() => process.off('warning', onWarning))
      assertKept(leak === '', leak)
    },
  },

  'unread-body': {
    says: 'a body that the store has not read is not taken for the next request',
    advice:
      'Read and drop what the store has not read of a body, or send Connection: close and close the connection.',
    over: ['1.1'],
    check: (host) =>
      sendInTurn(host, [
        { ...CREATE, token: null, status: 401 },
        LIST,
        { ...CREATE, token: null, isStreamed: true, status: 401 },
        LIST,
        { ...CREATE, path: DELETE.path, status: 405 },
        LIST,
        { ...CREATE, ...DELETE, status: 404 },
        LIST,
      ]),
  },

  'connection-close': {
    says: 'a connection is closed after the response, if the client asks for it',
    advice: 'Close the connection after a response to Connection: close (RFC 9112, section 9.6).',
    over: ['1.1'],
    async check(host) {
      const fields = [['connection', 'close'] as const]
      const request = host.prepare({ ...LIST, fields, json: [] })
      const connection = await host.begin(request)
      await receive(host, connection, request)
      await connection.ended(BEFORE_IDLE_MS)
    },
  },

  fragments: {
    says: 'a request that comes byte by byte is the same as one that comes at once',
    advice:
      'Collect the head until its end, and the body as bytes: a line, the size of a chunk or a character may come in two parts. Decode a body only when it is complete.',
    over: ['1.1'],
    async check(host) {
      const request = host.prepare({ ...UNICODE, isStreamed: true })
      const connection = await host.connect()
      for (const byte of host.encode(request)) {
        await connection.send(Uint8Array.of(byte))
        // Otherwise they leave in one packet.
        await new Promise((resolve) => setTimeout(resolve))
      }
      await receive(host, connection, request)
    },
  },

  'expect-continue': {
    says: 'a client that waits for 100 Continue before it sends its body gets it',
    advice:
      'Send "HTTP/1.1 100 Continue" when the store calls readBody, if the request has Expect: 100-continue: curl sends it with large bodies (RFC 9110, section 10.1.1).',
    over: ['1.1'],
    async check(host) {
      const { body, token } = host.prepare({ ...CREATE, body: CREATE.body })
      const fields = [contentLength(body.length), ['expect', '100-continue']] as const
      const request = { ...withFields(...fields), token }
      const connection = await host.begin(request)
      await receive(host, connection, { ...request, status: 100, isHosts: true })
      void connection.send(body)
      await receive(host, connection, request)
    },
  },

  'smuggled-request': {
    says: 'what is sent as a body is never served as a request',
    advice:
      'Refuse a request whose body has no certain end with 400, and close the connection: a space before the colon of a field, an unknown Transfer-Encoding, or one beside Content-Length (RFC 9112, sections 5.1 and 6.1). After a body that was refused, do not read the rest as a request.',
    over: ['1.1'],
    async check(host) {
      await Promise.all([
        smuggle(host, (length) => [['content-length ', `${length}`]]),
        smuggle(host, () => [['transfer-encoding', 'xchunked']]),
        smuggle(host, (length) => [contentLength(length), CHUNKED], '0\r\n\r\n'),
        smuggle(host, () => [contentLength(100_000_000)]),
      ])
    },
  },

  'half-close': {
    says: 'a client that ends its side after its request gets its response',
    advice:
      'Take the end of the client’s side for the end of the request, and only a closed connection for a hang-up. node:http itself ends such a connection if the response is not ready at once, unless the undocumented server.httpAllowHalfOpen is true.',
    over: ['1.1'],
    proxyMayBreak: 'a proxy takes the end of the client’s side for a hang-up',
    async check(host) {
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const request = host.prepare({ ...LIST, json: [] })
          const connection = await host.connect()
          void connection.send(host.encode(request))
          connection.stream.end()
          await receive(host, connection, request)
        }),
      )
    },
  },

  'failing-wrapper': {
    says: 'an app’s wrapper of the store that throws or rejects gets the client a 500',
    advice:
      'Use getReply(store, request), or catch what store.handle throws and send internalErrorReply(error, request), or pass the error on to the host’s error handler.',
    needs: 'an app’s wrapper that fails',
    async check(host) {
      for (const failure of ['throw', 'reject']) {
        const fields = [[WRAPPER_HEADER, failure]] as const
        await checkRow(host, { ...LIST, fields, status: 500, isHosts: true })
      }
      await checkRow(host, LIST)
    },
  },
}

/**
 * Sends a request whose body is itself a request, which must not reach the store.
 *
 * @param start what the body begins with
 */
async function smuggle(
  host: HostUnderTest,
  fieldsFor: (length: number) => Field[],
  start = '',
): Promise<void> {
  const inner = host.prepare(CREATE)
  const body = start + new TextDecoder().decode(host.encode(inner))
  const outer = host.prepare(withFields(...fieldsFor(body.length)))
  const connection = await host.begin(outer)
  await connection.send(body)
  // A host that waits for the whole body doesn't respond before it.
  const answer = await connection.receive(outer, QUIET_MS).catch(() => undefined)
  await connection.ended(QUIET_MS).catch(() => {})
  const list = { ...LIST, token: inner.token }
  const seen = await host.send(list)
  const isServed = plantsOf(list, seen).some(({ name }) => inner.body.includes(`"${name}"`))
  ensure(!isServed, `The body was served as a request: ${show(body)}`, outer, answer)
}

/** Sends each request on the connection of the one before it, if that has not said that it closes. */
async function sendInTurn(host: HostUnderTest, rows: readonly Row[]): Promise<void> {
  let connection = await host.connect()
  for (const request of rows.map((row) => host.prepare(row))) {
    void connection.send(host.encode(request))
    const { headers } = await receive(host, connection, request)
    if (headers.get('connection')?.toLowerCase() === 'close') connection = await host.connect()
  }
}
