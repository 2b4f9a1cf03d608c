import { ContractViolation } from '../violation.ts'
import type { Answer, HttpVersion, TestRequest } from './exchange.ts'
import { type Connection, connect, encodeRequest } from './http1.ts'
import { type Http2Exchange, openHttp2 } from './http2.ts'
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
  /** Opens a connection of HTTP/2, and sends a request on it whose body the test goes on with. */
  beginHttp2(request: TestRequest): Promise<Http2Exchange>
  /** Encodes a request of HTTP/1. */
  encode(request: TestRequest): Uint8Array
  /** Returns what the store has seen of an owner's requests. */
  report(owner: string): Promise<Report>
  /** Waits until a request of the owner has ended, and returns the report. Default: the tests' patience. */
  reportOfEnd(owner: string, withinMs?: number): Promise<Report>
}

const POLL_MS = 10

/** @param patienceMs how long the host may take to connect and to respond */
export function hostAt(url: URL, version: HttpVersion, patienceMs: number): HostUnderTest {
  const host: HostUnderTest = {
    url,
    version,
    connect: () => connect(url, patienceMs),
    beginHttp2: (request) => openHttp2(url, request, patienceMs, false),
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
        const connection = await host.connect()
        void connection.send(host.encode(request))
        return { ...connection, begun: () => connection.receiveBytes(1000) }
      }
      const { stream, destroy } = await openHttp2(url, request, patienceMs)
      const begun = new Promise<void>((resolve) => stream.once('data', () => resolve()))
      return {
        begun: () => inTime(patienceMs, 'the first bytes of the response', begun),
        pause: () => void stream.pause(),
        destroy,
      }
    },

    async report(owner) {
      const path = '/plants'
      const { text } = await host.send({ method: 'GET', path, token: `owner-report-${owner}` })
      return JSON.parse(JSON.parse(text)[0].name)
    },

    async reportOfEnd(owner, withinMs = patienceMs) {
      const deadline = Date.now() + withinMs
      while (Date.now() < deadline) {
        const report = await host.report(owner)
        if (report.outcomes.length > 0) return report
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
      const seconds = withinMs / 1000
      throw new ContractViolation(
        `The end of the request in onResponse did not come within ${seconds} s`,
      )
    },
  }

  async function exchange(request: TestRequest): Promise<Answer | undefined> {
    if (version === '2') {
      const opened = await openHttp2(url, request, patienceMs)
      return opened.answer().finally(opened.destroy)
    }
    const connection = await host.connect()
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
