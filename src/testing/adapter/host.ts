import type { Duplex } from 'node:stream'
import { inTime, tooLate } from '../waiting.ts'
import { plantsOf } from './ensure.ts'
import {
  type Answer,
  freshId,
  freshToken,
  type HttpVersion,
  idsOfTests,
  LIST,
  type TestRequest,
  withId,
} from './exchange.ts'
import { connect, encodeRequest, type TestConnection } from './http1.ts'
import { openHttp2 } from './http2.ts'
import { CLOSED, violation } from './show-exchange.ts'
import type { Report } from './test-store.ts'

/** A request whose body the test goes on with, or a response of which it reads as much as it likes. */
interface OpenExchange {
  readonly stream: Duplex
  /** Hangs up. */
  destroy(): void
}

/** The host under test, and the ways to send it a request. */
export interface HostUnderTest {
  /** Where the paths of the store begin. */
  readonly url: URL
  readonly version: HttpVersion
  /** The time limit of the host for a response. */
  readonly patienceMs: number
  /** The deployment that it is, if the tests have not made its store. */
  readonly deployment: Deployment | undefined
  /** Returns the token of a new owner or, of a deployment, of its first. */
  token(): string
  /** Gives the request a token, if it has none, and an id that no plant has. */
  prepare<T extends Unprepared>(request: T): T & Pick<TestRequest, 'token'>
  /** Sends a request on a connection of its own, and waits for the whole response. */
  send(request: TestRequest): Promise<Answer>
  /** Like `send`, and resolves to `undefined` if the host closes the connection without a response. */
  trySend(request: TestRequest): Promise<Answer | undefined>
  /** Sends a request, waits for the first bytes of the response, and leaves the rest to the test. */
  open(request: TestRequest): Promise<OpenExchange>
  /** Opens a connection of HTTP/1. */
  connect(): Promise<TestConnection>
  /** Opens a connection of HTTP/1, and sends a request on it. */
  begin(request: TestRequest): Promise<TestConnection>
  /** Like `begin`, over HTTP/2 too. The test goes on with the body, unless that ends. */
  start(request: TestRequest, endsBody?: boolean): Promise<OpenExchange>
  /** Encodes a request of HTTP/1. */
  encode(request: TestRequest): Uint8Array
  /** Returns what the store has seen of an owner's requests. */
  report(owner: string): Promise<Report>
  /** Waits until a request of the owner has ended, and returns the report. Default: the tests' patience. */
  reportOfEnd(owner: string, withinMs?: number): Promise<Report>
  /** Closes the connections that the test has left open, and ends the test if it has not ended. */
  close(): void
}

/** A store that runs somewhere, with the plants of others. */
export interface Deployment {
  /** The tokens of one or two owners. */
  readonly tokens: readonly [string, ...string[]]
  /** The plants that the tests may have created. No other plant has such an id. */
  readonly tried: { readonly token: string; readonly id: bigint }[]
}

type Unprepared = Omit<TestRequest, 'token'> & Partial<Pick<TestRequest, 'token'>>

const POLL_MS = 10

/** @param patienceMs how long the host may take to respond */
export function hostAt(
  url: URL,
  version: HttpVersion,
  patienceMs: number,
  deployment?: Deployment,
): HostUnderTest {
  const opened: { destroy(): void }[] = []
  let isClosed = false
  const host: HostUnderTest = {
    url,
    version,
    patienceMs,
    deployment,

    token: () => deployment?.tokens[0] ?? freshToken(),

    prepare(request) {
      const token = request.token === undefined ? host.token() : request.token
      const made = freshId()
      const prepared = withId({ ...request, token }, made)
      if (deployment && request.method === 'POST') {
        const written = idsOfTests(`${prepared.body}`)
        for (const id of new Set([made, ...written]))
          deployment.tried.push({ token: token ?? host.token(), id })
      }
      return prepared
    },

    async connect() {
      if (isClosed) throw new Error('The test has been ended')
      const connection = await connect(url, patienceMs, deployment !== undefined)
      opened.push(connection)
      return connection
    },

    async begin(request) {
      const connection = await host.connect()
      await connection.send(host.encode(request))
      return connection
    },

    async start(request, endsBody = false) {
      if (version !== '2') return host.begin(request)
      const exchange = await openHttp2(url, request, patienceMs, endsBody)
      opened.push(exchange)
      return exchange
    },

    encode: (request) => encodeRequest(url, request, version === '1.0' ? '1.0' : '1.1'),

    async send(request) {
      const answer = await host.trySend(request)
      return answer ?? violation(CLOSED, request)
    },

    async trySend(request) {
      if (version === '2') {
        const exchange = await openHttp2(url, request, patienceMs, true)
        return exchange.answer().finally(exchange.destroy)
      }
      const connection = await host.connect()
      const fields = [...(request.fields ?? []), ['connection', 'close'] as const]
      void connection.send(host.encode({ ...request, fields }))
      return connection.receive(request)
    },

    async open(request) {
      const { stream, destroy } = await host.start(request, true)
      const begun = new Promise((resolve) => stream.once('data', resolve))
      await inTime(patienceMs, 'The first bytes of the response did not come', begun)
      return { stream, destroy }
    },

    async report(owner) {
      const request = { ...LIST, token: `owner-report-${owner}` }
      const [plant] = plantsOf(request, await host.send(request))
      return JSON.parse(plant!.name)
    },

    async reportOfEnd(owner, withinMs = patienceMs) {
      const deadline = Date.now() + withinMs
      while (Date.now() < deadline) {
        const report = await host.report(owner)
        if (report.outcomes.length > 0) return report
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
      throw tooLate('The end of the request in onResponse did not come', withinMs)
    },

    close() {
      isClosed = true
      for (const connection of opened) connection.destroy()
    },
  }
  return host
}
