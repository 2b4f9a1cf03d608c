import { assertKept, freshOwner } from '../framework.ts'
import { sleep } from '../waiting.ts'
import { CREATE, DELETE, LIST } from './exchange.ts'
import type { HostUnderTest } from './host.ts'
import { type AdapterRules, type Row, receive } from './rule.ts'

/** Hosts close an idle connection after five seconds or more. */
const BEFORE_IDLE_MS = 3000

/** A list of an owner of this kind. */
const listOfFresh = (kind: string) => ({ ...LIST, token: `owner-${freshOwner(kind)}` })
const UNICODE = { ...CREATE, body: '{"id":ID,"name":"ä🌵"}', json: { name: 'ä🌵' } }
const EMPTY = { ...LIST, path: '/plants?limit=0', json: [] }
const unknown = { token: null, status: 401 } as const

/** What requests that share a connection must get. */
export const connections: AdapterRules = {
  'content-length': {
    says: 'a short response announces its length in bytes',
    advice:
      'Send Content-Length with a body that is a string: its length in bytes of UTF-8, not in characters.',
    over: ['1.1'],
    rows: [
      { ...UNICODE, headers: { 'content-length': '17' } },
      { ...EMPTY, headers: { 'content-length': '2' } },
    ],
  },

  pipelining: {
    says: 'pipelined requests are answered in their order',
    advice:
      'Leave the order to the host: respond through the response object that belongs to the request, and do not write to the socket.',
    over: ['1.1'],
    needs: 'a storage that is slow',
    async check(host) {
      const late = () => ({ ...listOfFresh('late'), json: [{ name: 'late' }] })
      const rows: Row[] = [late(), UNICODE, { ...LIST, ...unknown }, late(), EMPTY]
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
      const [long, times] = host.deployment ? [LIST, 2] : [listOfFresh('medium'), 11]
      const all = Array.from({ length: times }, () => rows).flat()
      await sendInTurn(host, [long, ...all]).finally(() => process.off('warning', onWarning))
      assertKept(leak === '', leak)
    },
  },

  'unread-body': {
    says: 'a body that the store has not read is not taken for the next request',
    advice:
      'Read and drop what the store has not read of a body, or send Connection: close and close the connection.',
    over: ['1.1'],
    check(host) {
      const unread = [
        { ...CREATE, ...unknown },
        { ...CREATE, ...unknown, isStreamed: true },
        { ...CREATE, path: DELETE.path, status: 405 },
        { ...CREATE, ...DELETE, status: 404 },
      ]
      const rows = unread.flatMap((row) => [row, LIST])
      return sendInTurn(host, rows)
    },
  },

  'connection-close': {
    says: 'a connection is closed after the response, if the client asks for it',
    advice: 'Close the connection after a response to Connection: close (RFC 9112, section 9.6).',
    over: ['1.1'],
    async check(host) {
      const request = host.prepare({ ...LIST, fields: [['connection', 'close']], json: [] })
      const connection = await host.connect(request)
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
        await sleep(0)
      }
      await receive(host, connection, request)
    },
  },

  'half-close': {
    says: 'a client that ends its side after its request gets its response',
    advice:
      'Take the end of the client’s side for the end of the request, and only a closed connection for a hang-up. node:http itself ends such a connection if the response is not ready at once, unless the undocumented server.httpAllowHalfOpen is true.',
    over: ['1.1'],
    needs: 'a way without a proxy, which may take it for a hang-up',
    async check(host) {
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const request = host.prepare({ ...LIST, json: [] })
          const connection = await host.connect(request)
          connection.stream.end()
          await receive(host, connection, request)
        }),
      )
    },
  },
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
