import { ContractViolation } from '../violation.ts'
import type { Answer, HttpVersion, TestRequest } from './exchange.ts'
import { type Connection, connect, encodeRequest } from './http1.ts'
import { openHttp2 } from './http2.ts'
import { inTime } from './in-time.ts'
import { describeAnswer, describeRequest } from './show-exchange.ts'
import type { Report } from './test-store.ts'

/** A response of which the client reads as much as it likes. */
export interface OpenResponse {
  /** Waits for its first bytes. */
  begun(): Promise<void>
  /** Stops reading. */
  pause(): void
  /** Hangs up. */
  destroy(): void
}

/** The host under test, and the ways to send it a request. */
export interface HostUnderTest {
  /** Where the paths of the store begin. */
  readonly url: URL
  readonly version: HttpVersion
  /** Sends a request on a connection of its own, and waits for the whole response. */
  send(request: TestRequest): Promise<Answer>
  /** Sends a request, and leaves it to the test how to read the response. */
  open(request: TestRequest): Promise<OpenResponse>
  /** Opens a connection of HTTP/1. */
  connect(): Promise<Connection>
  /** Encodes a request of HTTP/1. */
  encode(request: TestRequest): Uint8Array
  /** Returns what the store has seen of an owner's requests. */
  report(owner: string): Promise<Report>
  /** Waits until a request of the owner has ended, and returns the report. */
  reportOfEnd(owner: string): Promise<Report>
}

const POLL_MS = 10

export function hostAt(url: URL, version: HttpVersion): HostUnderTest {
  const host: HostUnderTest = {
    url,
    version,
    connect: () => connect(url),
    encode: (request) => encodeRequest(url, request, version === '1.0' ? '1.0' : '1.1'),

    async send(request) {
      const answer = await exchange(request).catch((error: Error) => {
        throw new ContractViolation(`${describeRequest(request)}\ngot no answer: ${error.message}`)
      })
      if (answer) return answer
      throw new ContractViolation(
        `${describeRequest(request)}\ngot no answer: the host closed the connection`,
      )
    },

    async open(request) {
      if (version !== '2') {
        const connection = await connect(url)
        void connection.send(host.encode(request))
        return { ...connection, begun: () => connection.receiveBytes(1000) }
      }
      const { stream, destroy } = await openHttp2(url, request)
      const begun = new Promise<void>((resolve) => stream.once('data', () => resolve()))
      return {
        begun: () => inTime('the first bytes of the response', begun),
        pause: () => void stream.pause(),
        destroy,
      }
    },

    async report(owner) {
      const path = '/plants'
      const { text } = await host.send({ method: 'GET', path, token: `owner-report-${owner}` })
      return JSON.parse(JSON.parse(text)[0].name)
    },

    async reportOfEnd(owner) {
      const { promise: hasEnded, resolve } = Promise.withResolvers<Report>()
      let isWaiting = true
      async function poll(): Promise<void> {
        while (isWaiting) {
          const report = await host.report(owner)
          if (report.outcomes.length > 0) return resolve(report)
          await new Promise((wake) => setTimeout(wake, POLL_MS))
        }
      }
      const polling = poll()
      const both = Promise.race([hasEnded, polling.then(() => hasEnded)])
      return inTime('The end of the request in onResponse', both).finally(() => {
        isWaiting = false
      })
    },
  }

  async function exchange(request: TestRequest): Promise<Answer | undefined> {
    if (version === '2') {
      const opened = await openHttp2(url, request)
      return opened.answer().finally(opened.destroy)
    }
    const connection = await connect(url)
    const fields = [...(request.fields ?? []), ['connection', 'close'] as const]
    const sending = connection.send(host.encode({ ...request, fields }))
    try {
      return await connection.receive({ toHead: request.method === 'HEAD' })
    } finally {
      connection.destroy()
      await sending
    }
  }
  return host
}

/** Fails with what was sent and what came. */
export function violation(problem: string, request: TestRequest, answer?: Answer): never {
  const came = answer ? describeAnswer(answer) : 'nothing'
  throw new ContractViolation(`${problem}\nSent: ${describeRequest(request)}\nCame: ${came}`)
}
