import { show } from '../framework.ts'
import { inTime } from '../waiting.ts'
import { ensure } from './ensure.ts'
import {
  CHUNKED,
  CREATE,
  contentLength,
  type Field,
  freshId,
  freshOwner,
  freshToken,
  LIST,
  type TestRequest,
  withFields,
} from './exchange.ts'
import type { HostUnderTest } from './host.ts'
import { type AdapterRules, checkAnswer, checkRow, receive } from './rule.ts'

const MAX_BODY_BYTES = 16 * 1024
const MiB = 1024 * 1024
/** The time limit of a host to notice that a client has hung up. */
const QUIET_MS = 1000
/** A deployment doesn't tell that it has noticed. */
const SETTLED_MS = 300

const tooLarge = { error: 'body_too_large' } as const
const missingToken = { token: null, error: 'missing_token' } as const

/** A plant whose JSON has so many bytes. */
function plantOfBytes(bytes: number): string {
  const { length } = `{"id":${freshId()},"name":""}`
  return `{"id":ID,"name":"${'a'.repeat(bytes - length)}"}`
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

export const bodies: AdapterRules = {
  'body-limit': {
    says: 'a body of the greatest size is taken, and one byte more gets 413',
    advice:
      'readBody(maxBytes) must return null beyond maxBytes, and nothing else may limit the body: set the host’s own limit higher.',
    async check(host) {
      if (host.deployment) return checkLimitOfDeployment(host)
      await checkRow(host, { ...CREATE, body: plantOfBytes(MAX_BODY_BYTES) })
      await checkRow(host, { ...CREATE, body: plantOfBytes(MAX_BODY_BYTES + 1), ...tooLarge })
    },
  },

  'readable-refusal': {
    says: 'a client that sends all of a refused body before it reads can read the 413 or the 401',
    advice:
      'After a reply that comes before the end of the request body, drop the rest of the body as it comes, and close the connection only then: closing it at once resets it, and the client loses the response (RFC 9112, section 9.6).',
    over: ['1.1'],
    async check(host) {
      const large = { ...CREATE, body: plantOfBytes(16 * MiB) }
      const unknown = { ...large, ...missingToken }
      // The limits of a deployment, and of what is in front of it, are its own.
      const rows = host.deployment
        ? [{ ...unknown, body: plantOfBytes(MAX_BODY_BYTES) }]
        : [{ ...large, ...tooLarge, isStreamed: true }, unknown]
      for (const row of rows) {
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
    proxyMayBreak: 'a proxy buffers each request before it passes it on',
    async check(host) {
      const announced = withFields(contentLength(100_000_000))
      const unknown = { ...withFields(contentLength(MAX_BODY_BYTES)), ...missingToken }
      // The limits of a deployment are its own.
      const cases = host.deployment
        ? [[unknown, ''] as const]
        : ([
            [{ ...announced, ...tooLarge }, ''],
            [{ ...withFields(CHUNKED), ...tooLarge }, chunk('a'.repeat(2 * MiB))],
            [{ ...announced, ...missingToken }, ''],
          ] as const)
      for (const [row, half] of cases) {
        const request = host.prepare(row)
        const connection = await host.begin(request)
        void connection.send(half)
        await receive(host, connection, request)
      }
    },
  },

  'untrusted-length': {
    says: 'a Content-Length beside Transfer-Encoding lets no body pass the limit',
    advice:
      'Believe Content-Length only without Transfer-Encoding. Otherwise count the bytes as they come, or refuse the request with 400 (RFC 9112, section 6.3).',
    over: ['1.1'],
    async check(host) {
      const sent = chunk('a'.repeat(4 * MiB))
      for (const fields of [
        [contentLength(5), CHUNKED],
        [CHUNKED, contentLength(5)],
      ]) {
        await mustRefuse(host, host.prepare(withFields(...fields)), sent)
      }
    },
  },

  'contradicting-length': {
    says: 'a plant is never created from a body whose lengths contradict each other or are not numbers',
    advice:
      'Leave the parsing of HTTP to the host, and refuse what it lets pass: the proxy in front may read another request there (request smuggling).',
    over: ['1.1'],
    async check(host) {
      const { body, token } = host.prepare({ ...CREATE, body: CREATE.body })
      const size = `${body.length}`
      const two = [size, '5']
      const lengths = [
        ...[two, two.toReversed()],
        ...[[`+${size}`], [`${size}x`], [`1${'0'.repeat(30)}`]],
      ].map((values) => ({ fields: values.map(contentLength), payload: body }))
      const whole = chunk(body)
      const chunks = [
        `${whole.replace('\r\n', 'x\r\n')}0\r\n\r\n`,
        ...[`${whole.slice(0, -2)}--0\r\n\r\n`, `${whole}\r\n\r\n`],
      ].map((payload) => ({ fields: [CHUNKED], payload }))
      await Promise.all(
        [...lengths, ...chunks].map(async ({ fields, payload }) => {
          const request = {
            ...withFields(...fields),
            token: host.deployment ? token : freshToken(),
          }
          await mustRefuse(host, request, payload, true)
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
      // An id of its own for each would leave plants that nobody removes.
      const { body: plant } = host.prepare({ ...CREATE, body: CREATE.body })
      async function hangUp(half: string, fields: Field[], endsOnlyItsSide = false) {
        const owner = freshOwner()
        const token = host.deployment ? host.token() : `owner-${owner}`
        const request = { ...withFields(...fields), token }
        const { stream, destroy } = await host.start(request)
        await new Promise((resolve) => stream.write(half, resolve))
        endsOnlyItsSide ? stream.end() : destroy()
        // A host that waits for the whole body doesn't ask the store at all.
        if (host.deployment) await new Promise((resolve) => setTimeout(resolve, SETTLED_MS))
        else await host.reportOfEnd(owner, QUIET_MS).catch(() => {})
        await checkNothingCreated(host, request)
      }
      if (host.version === '2') return hangUp(plant, [])
      await Promise.all(
        [false, true].flatMap((endsOnlyItsSide) => [
          hangUp(plant, [contentLength(100)], endsOnlyItsSide),
          hangUp(chunk(plant), [CHUNKED], endsOnlyItsSide),
        ]),
      )
    },
  },
}

/** A deployment may have another limit, but refuses what is beyond it itself. */
async function checkLimitOfDeployment(host: HostUnderTest): Promise<void> {
  for (const bytes of [MAX_BODY_BYTES, 2 * MAX_BODY_BYTES]) {
    const request = host.prepare({ ...CREATE, body: plantOfBytes(bytes) })
    const answer = await host.send(request)
    if (answer.status === 200) continue
    checkAnswer(host, request, answer, tooLarge)
  }
}

async function checkNothingCreated(host: HostUnderTest, { token }: TestRequest): Promise<void> {
  await checkRow(host, { ...LIST, token, json: [] })
}

/**
 * Sends a part of a body. The host must refuse the request, or close the connection.
 *
 * @param ends whether the client then ends its side
 */
async function mustRefuse(
  host: HostUnderTest,
  request: TestRequest,
  payload: string,
  ends = false,
): Promise<void> {
  const connection = await host.begin(request)
  const sent = connection.send(payload)
  if (ends) void sent.then(() => connection.stream.end())
  const answer = await connection.receive(request)
  ensure(
    answer?.status !== 200,
    `It was not refused, with the body ${show(payload)}`,
    request,
    answer,
  )
}
