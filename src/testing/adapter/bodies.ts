import { show } from '../violation.ts'
import { type Answer, freshToken, type TestRequest, toBytes } from './exchange.ts'
import type { HostUnderTest } from './host.ts'
import type { TestConnection } from './http1.ts'
import { inTime } from './in-time.ts'
import { type AdapterRules, checkAnswer, checkRow, type Expected, ensure } from './rule.ts'

const MAX_BODY_BYTES = 1024 * 1024
const MiB = 1024 * 1024
/** How long a host may take to notice that a client has hung up. */
const QUIET_MS = 1000

const tooLarge = { status: 413, error: 'body_too_large' } as const
const missingToken = { status: 401, error: 'missing_token' } as const
const DROP_THE_REST =
  'After a reply that comes before the end of the request body, drop the rest of the body as it comes, and close the connection only then: closing it at once resets it, and the client loses the response (RFC 9112, section 9.6).'

/** A plant whose JSON has so many bytes. */
function plantOf(bytes: number): string {
  return `{"id":1,"name":"${'a'.repeat(bytes - '{"id":1,"name":""}'.length)}"}`
}

const postBody = (body: string | Uint8Array | undefined, isStreamed: boolean): TestRequest => ({
  method: 'POST',
  path: '/plants',
  token: freshToken(),
  contentType: 'application/json',
  body,
  isStreamed,
})

/** A create whose body the test sends itself. */
const withFields = (...fields: NonNullable<TestRequest['fields']>): TestRequest => ({
  ...postBody(undefined, false),
  fields,
})

export const bodies: AdapterRules = {
  'body-limit': {
    says: 'a body of the greatest size is taken, and one byte more gets 413, announced or streamed',
    advice:
      'readBody(maxBytes) must return null beyond maxBytes, and nothing else may limit the body: set the host’s own limit higher.',
    async check(host) {
      for (const isStreamed of [false, true]) {
        const taken = { ...postBody(plantOf(MAX_BODY_BYTES), isStreamed), status: 200 }
        await checkRow(host, taken)
        const refused = postBody(plantOf(MAX_BODY_BYTES + 1), isStreamed)
        await checkRow(host, { ...refused, ...tooLarge })
      }
    },
  },

  'readable-refusal': {
    says: 'a client that sends all of a refused body before it reads can read the 413 or the 401',
    advice: DROP_THE_REST,
    over: ['1.1'],
    async check(host) {
      const large = plantOf(16 * MiB)
      for (const [request, expected] of [
        [postBody(large, false), tooLarge],
        [postBody(large, true), tooLarge],
        [{ ...postBody(large, false), token: null }, missingToken],
      ] as const) {
        const connection = await host.connect()
        connection.pause()
        const sent = connection.send(host.encode(request))
        await inTime(host.patienceMs, 'The rest of the body was not read: it did not go out', sent)
        connection.resume()
        await receive(connection, request, expected)
      }
    },
  },

  'early-refusal': {
    says: 'a body is refused as soon as that is known: without a token, by its length, or when too much has come',
    advice:
      'Send a reply as soon as handle resolves. readBody(maxBytes) must return null at once where Content-Length is larger, and otherwise as soon as more has come. Do not wait for the end of the request.',
    over: ['1.1'],
    async check(host) {
      const announced = withFields(['content-length', '100000000'])
      const streamed = withFields(['transfer-encoding', 'chunked'])
      const chunk = `${(2 * MiB).toString(16)}\r\n${'a'.repeat(2 * MiB)}\r\n`
      for (const [request, half, expected] of [
        [announced, '', tooLarge],
        [streamed, chunk, tooLarge],
        [{ ...announced, token: null }, '', missingToken],
      ] as const) {
        const connection = await host.connect()
        await connection.send(host.encode(request))
        void connection.send(half)
        await receive(connection, request, expected)
      }
    },
  },

  'body-memory': {
    says: 'bodies that clients do not finish take no more than 32 MiB together: one more gets 503',
    advice:
      'Collect a body with readChunks or createBodyBuffer, which call limit.reserve. readBody must reject with what reserve throws.',
    over: ['1.1'],
    async check(host) {
      const unfinished = withFields(['content-length', `${MAX_BODY_BYTES}`])
      const overloaded = { status: 503, error: 'overloaded' } as const
      const connections = await Promise.all(Array.from({ length: 36 }, host.connect))
      const refusals = connections.map(async (connection) => {
        await connection.send(host.encode(unfinished))
        void connection.send('a'.repeat(MAX_BODY_BYTES - 1))
        const answer = await connection.receive(unfinished)
        // Whether the client can read it is another rule: readable-refusal.
        if (answer) checkAnswer(unfinished, answer, overloaded)
      })
      await Promise.any(refusals).catch(({ errors }) => {
        throw errors[0]
      })
    },
  },

  'untrusted-length': {
    says: 'a Content-Length that is repeated, not canonical or beside Transfer-Encoding lets no body pass the limit',
    advice:
      'Believe Content-Length only if it is one canonical decimal without Transfer-Encoding. Otherwise count the bytes as they come, or refuse the request with 400 (RFC 9112, section 6.3).',
    over: ['1.1'],
    async check(host) {
      const size = 100 * MiB
      const lengths = [
        [['content-length', `${size}, ${size}`]],
        [
          ['content-length', `${size}`],
          ['content-length', `${size}`],
        ],
        [['content-length', `+${size}`]],
        [['content-length', `0x${size.toString(16)}`]],
        [['content-length', `${size}.0`]],
        [['content-length', '9'.repeat(30)]],
        [['content-length', '-1']],
        [
          ['content-length', '5'],
          ['content-length', `${size}`],
        ],
        [
          ['content-length', `${size}`],
          ['content-length', '5'],
        ],
      ] as const
      for (const fields of lengths) {
        await sendUntrusted(host, withFields(...fields), 'a'.repeat(4 * MiB))
      }
      const chunk = `${(4 * MiB).toString(16)}\r\n${'a'.repeat(4 * MiB)}\r\n`
      for (const [first, second] of [
        ['content-length', 'transfer-encoding'],
        ['transfer-encoding', 'content-length'],
      ] as const) {
        const values = { 'content-length': '5', 'transfer-encoding': 'chunked' }
        const fields = [
          [first, values[first]],
          [second, values[second]],
        ] as const
        await sendUntrusted(host, withFields(...fields), chunk)
      }
    },
  },

  'contradicting-length': {
    says: 'a plant is never created from a body whose lengths contradict each other or are no number',
    advice:
      'Leave the parsing of HTTP to the host, and refuse what it lets pass: the proxy in front may read another request there (request smuggling).',
    over: ['1.1'],
    async check(host) {
      const body = '{"id":1,"name":"a"}'
      const size = `${body.length}`
      const hex = body.length.toString(16)
      const lengths = [
        [size, '5'],
        ['5', size],
        [`${size}, 5`],
        [`+${size}`],
        [`0x${hex}`],
        [`${size}x`],
        [`1${'0'.repeat(30)}`],
      ].map((values) => [values.map((value) => ['content-length', value] as const), body] as const)
      const chunk = `${hex}\r\n${body}`
      const chunks = [
        `0x${chunk}\r\n0\r\n\r\n`,
        `-${chunk}\r\n0\r\n\r\n`,
        `${hex}zz\r\n${body}\r\n0\r\n\r\n`,
        `${chunk}\r\nzz\r\n\r\n`,
        `${chunk}\r\n\r\n\r\n`,
        `${chunk}--0\r\n\r\n`,
      ].map((payload) => [[['transfer-encoding', 'chunked'] as const], payload] as const)
      await Promise.all(
        [...lengths, ...chunks].map(async ([fields, payload]) => {
          const request = withFields(...fields)
          const connection = await host.connect()
          await connection.send(host.encode(request))
          await connection.send(payload)
          connection.end()
          const answer = await connection.receive(request)
          const isRefused = answer === undefined || answer.status >= 400
          ensure(isRefused, `It was not refused, with the body ${show(payload)}`, request, answer)
          await checkNothingCreated(host, request)
        }),
      )
    },
  },

  'incomplete-body': {
    says: 'a client that hangs up in the middle of its body creates nothing',
    advice:
      'readBody must reject when the request ends before its body is complete, even if what has come is a whole plant.',
    async check(host) {
      const plant = '{"id":7,"name":"Monstera"}'
      const chunk = `${plant.length.toString(16)}\r\n${plant}\r\n`
      async function hangUp(request: TestRequest, half: string, way: 'end' | 'destroy') {
        if (host.version === '2') {
          const { stream, destroy } = await host.beginHttp2(request)
          await new Promise((resolve) => stream.write(half, resolve))
          destroy()
        } else {
          const connection = await host.connect()
          await connection.send(host.encode(request))
          await connection.send(half)
          connection[way]()
        }
        // A host that waits for the whole body doesn't ask the store at all.
        const owner = request.token!.slice('owner-'.length)
        await host.reportOfEnd(owner, QUIET_MS).catch(() => {})
        await checkNothingCreated(host, request)
      }
      if (host.version === '2') return hangUp(postBody(undefined, false), plant, 'destroy')
      const announced = ['content-length', '100'] as const
      const streamed = ['transfer-encoding', 'chunked'] as const
      await Promise.all([
        hangUp(withFields(announced), plant, 'destroy'),
        hangUp(withFields(announced), plant, 'end'),
        hangUp(withFields(streamed), chunk, 'destroy'),
        hangUp(withFields(streamed), chunk, 'end'),
      ])
    },
  },
}

async function checkNothingCreated(host: HostUnderTest, { token }: TestRequest): Promise<void> {
  await checkRow(host, { method: 'GET', path: '/plants', token, status: 200, json: [] })
}

async function receive(
  connection: TestConnection,
  request: TestRequest,
  expected: Expected,
): Promise<void> {
  const answer = await connection.receive(request)
  ensure(answer !== undefined, 'The connection was closed without a response', request)
  checkAnswer(request, answer, expected)
}

/** Sends more than the limit, but less than is announced. The host must not wait for the rest. */
async function sendUntrusted(
  host: HostUnderTest,
  request: TestRequest,
  half: string,
): Promise<Answer | undefined> {
  const connection = await host.connect()
  await connection.send(host.encode(request))
  void connection.send(toBytes(half))
  const answer = await connection.receive(request)
  ensure(answer === undefined || answer.status >= 400, 'It was not refused', request, answer)
  return answer
}
