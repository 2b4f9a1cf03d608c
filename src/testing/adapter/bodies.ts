import { freshOwner, show } from '../framework.ts'
import { inTime, sleep } from '../waiting.ts'
import {
  CHUNKED,
  CREATE,
  contentLength,
  ensure,
  type Field,
  LIST,
  namesIn,
  withFields,
} from './exchange.ts'
import type { HostUnderTest } from './host.ts'
import { toChunk } from './http1.ts'
import { type AdapterRules, checkRow, type Expected, receive } from './rule.ts'
import { MAX_BODY_BYTES } from './test-store.ts'

const MiB = 1024 * 1024
/** The time limit of a host to notice that a client has hung up. */
const QUIET_MS = 1000
/** A deployment doesn't tell that it has noticed. */
const SETTLED_MS = 300

const tooLarge: Expected = { error: 'body_too_large' }
const missingToken = { token: null, error: 'missing_token' } as const

/** A create whose body has so many bytes. An id of the tests takes 20. */
function createOfBytes(bytes: number) {
  const { length } = '{"id":,"name":""}'
  return { ...CREATE, body: `{"id":ID,"name":"${'a'.repeat(bytes - length - 20)}"}` }
}

/** How a body is read, refused and framed. */
export const bodies: AdapterRules = {
  'body-limit': {
    says: 'a body of the greatest size is taken, and one byte more gets 413',
    advice:
      'readBody(maxBytes) must return null beyond maxBytes, and nothing else may limit the body: set the host’s own limit higher.',
    rows: ({ deployment }) => [
      { ...createOfBytes(MAX_BODY_BYTES), ...(deployment && { ...tooLarge, mayPass: true }) },
      { ...createOfBytes(MAX_BODY_BYTES + 1), ...tooLarge, mayPass: true },
    ],
  },

  'readable-refusal': {
    says: 'a client that sends all of a refused body before it reads can read the 413 or the 401',
    advice:
      'After a reply that comes before the end of the request body, drop the rest of the body as it comes, and close the connection only then: closing it at once resets it, and the client loses the response (RFC 9112, section 9.6).',
    over: ['1.1'],
    async check(host) {
      // The limits of a deployment, and of what is in front of it, are its own.
      const large = createOfBytes(host.deployment ? MAX_BODY_BYTES : 16 * MiB)
      const refused = [{ ...large, ...tooLarge, isStreamed: true }]
      for (const row of [...(host.deployment ? [] : refused), { ...large, ...missingToken }]) {
        const request = host.prepare(row)
        const connection = await host.connect()
        connection.stream.pause()
        const sent = connection.send(host.encode(request))
        await inTime(host.patienceMs, 'The rest of the body was not read: it did not go out', sent)
        connection.stream.resume()
        await receive(host, connection, request)
      }
    },
  },

  'early-refusal': {
    says: 'a body is refused as soon as that is known: without a token, by its length, or when too much has come',
    advice:
      'Send a reply as soon as handle resolves. readBody(maxBytes) must return null at once where Content-Length is larger, and otherwise as soon as more has come. Do not wait for the end of the request.',
    over: ['1.1'],
    needs: 'a way without a proxy, which may buffer requests',
    rows: [tooLarge, missingToken].map((refusal) => {
      return { ...withFields(contentLength(100_000_000)), ...refusal }
    }),
    async check(host) {
      const request = host.prepare({ ...withFields(CHUNKED), ...tooLarge })
      const connection = await host.connect(request)
      void connection.send(toChunk('a'.repeat(2 * MiB)))
      await receive(host, connection, request)
    },
  },

  'untrusted-length': {
    says: 'a Content-Length together with Transfer-Encoding makes no body pass the limit',
    advice:
      'Believe Content-Length only without Transfer-Encoding. Otherwise count the bytes as they come, or refuse the request with 400 (RFC 9112, section 6.3).',
    over: ['1.1'],
    async check(host) {
      const fields = [contentLength(5), CHUNKED]
      for (const order of [fields, fields.toReversed()]) {
        const request = host.prepare(withFields(...order))
        const connection = await host.connect(request)
        void connection.send(toChunk('a'.repeat(4 * MiB)))
        // The body has no end: a host that waits for it does not respond.
        await connection.receive(request)
      }
    },
  },

  'incomplete-body': {
    says: 'a client that hangs up in the middle of its body creates nothing',
    advice:
      'readBody must reject when the request ends before its body is complete, even if what has come is a whole plant.',
    async check(host) {
      // An id for each would leave plants that nobody removes.
      const { body: plant } = host.prepare({ ...CREATE, body: CREATE.body })
      async function hangUp(half: string, fields: Field[], endsOnlyItsSide = false) {
        const owner = freshOwner()
        const token = host.deployment ? host.token() : `owner-${owner}`
        const { stream, destroy } = await host.start({ ...withFields(...fields), token })
        await new Promise((resolve) => stream.write(half, resolve))
        endsOnlyItsSide ? stream.end() : destroy()
        // A host that waits for the whole body doesn't ask the store at all.
        if (host.deployment) await sleep(SETTLED_MS)
        else await host.reportOfEnd(owner, QUIET_MS).catch(() => {})
        await checkRow(host, { ...LIST, token, json: [] })
      }
      if (host.version === '2') return hangUp(plant, [])
      await Promise.all(
        [false, true].flatMap((endsOnlyItsSide) => [
          hangUp(plant, [contentLength(100)], endsOnlyItsSide),
          hangUp(toChunk(plant), [CHUNKED], endsOnlyItsSide),
        ]),
      )
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

  'expect-continue': {
    says: 'a client that waits for 100 Continue before it sends its body gets it',
    advice:
      'Send "HTTP/1.1 100 Continue" when the store calls readBody, if the request has Expect: 100-continue: curl sends it with large bodies (RFC 9110, section 10.1.1).',
    over: ['1.1'],
    async check(host) {
      const { body, token } = host.prepare({ ...CREATE, body: CREATE.body })
      const fields = [contentLength(body.length), ['expect', '100-continue']] as const
      const request = { ...withFields(...fields), token }
      const connection = await host.connect(request)
      await receive(host, connection, { ...request, status: 100, isHosts: true })
      void connection.send(body)
      await receive(host, connection, request)
    },
  },
}

/**
 * Sends a request whose body is itself a request, which must not reach the store.
 *
 * @param start what the body begins with
 */
async function smuggle(host: HostUnderTest, fieldsFor: (length: number) => Field[], start = '') {
  const inner = host.prepare(CREATE)
  const body = start + host.encode(inner).toString()
  const outer = host.prepare(withFields(...fieldsFor(body.length)))
  const connection = await host.connect(outer)
  await connection.send(body)
  // A host that waits for the whole body doesn't respond before it.
  const answer = await connection.receive(outer, QUIET_MS).catch(() => undefined)
  await connection.ended(QUIET_MS).catch(() => {})
  const list = { ...LIST, token: inner.token }
  const names = namesIn(list, await host.send(list))
  const isServed = names.some((name) => inner.body.includes(`"${name}"`))
  ensure(!isServed, `The body was served as a request: ${show(body)}`, outer, answer)
}
