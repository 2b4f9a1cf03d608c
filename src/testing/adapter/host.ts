import type { Duplex } from 'node:stream'
import { freshOwner } from '../framework.ts'
import { sleep, tooLate } from '../waiting.ts'
import {
  type Answer,
  CLOSED,
  freshId,
  type HttpVersion,
  idsOfTests,
  LIST,
  namesIn,
  type TestRequest,
  violation,
  withId,
} from './exchange.ts'
import { connect, encodeRequest, type TestConnection } from './http1.ts'
import { openHttp2 } from './http2.ts'
import type { Report } from './test-store.ts'

/** The host under test, and the ways to send it a request. */
export type HostUnderTest = ReturnType<typeof hostAt>

/** A store that runs somewhere, with the plants of others. */
export interface Deployment {
  /** The tokens of one or two owners. */
  readonly tokens: readonly [string, ...string[]]
  /** The plants that the tests may have created. No other plant has such an id. */
  readonly tried: { readonly token: string; readonly id: bigint }[]
}

/** A request whose body the test goes on with, or a response of which it reads as much as it likes. */
interface OpenExchange {
  readonly stream: Duplex
  /** Waits for the response, which is `undefined` if the host closes the connection without one. */
  receive(request: TestRequest): Promise<Answer | undefined>
  /** Hangs up. */
  destroy(): void
}

type Unprepared = Omit<TestRequest, 'token'> & Partial<Pick<TestRequest, 'token'>>

const POLL_MS = 10

/**
 * @param url where the paths of the store begin
 * @param patienceMs how long the host may take to respond
 * @param deployment the deployment that it is, if the tests have not made its store
 */
export function hostAt(
  url: URL,
  version: HttpVersion,
  patienceMs: number,
  deployment?: Deployment,
) {
  const opened: { destroy(): void }[] = []
  let isClosed = false
  const host = {
    url,
    version,
    patienceMs,
    deployment,

    /** Returns the token of a new owner or, of a deployment, of its first. */
    token: (): string => deployment?.tokens[0] ?? `owner-${freshOwner()}`,

    /** Gives the request a token, if it has none, and an id that no plant has. */
    prepare<T extends Unprepared>(request: T): T & Pick<TestRequest, 'token'> {
      const token = request.token === undefined ? host.token() : request.token
      const made = freshId()
      const prepared = withId({ ...request, token }, made)
      if (deployment && request.method === 'POST') {
        const ids = new Set([made, ...idsOfTests(`${prepared.body}`)])
        for (const id of ids) deployment.tried.push({ token: token ?? host.token(), id })
      }
      return prepared
    },

    /** Opens a connection of HTTP/1, and sends a request on it, if one is given. */
    async connect(request?: TestRequest): Promise<TestConnection> {
      if (isClosed) throw new Error('The test has been ended')
      const connection = await connect(url, patienceMs, deployment !== undefined)
      opened.push(connection)
      if (request) void connection.send(host.encode(request))
      return connection
    },

    /** Like `connect`, over HTTP/2 too. The test goes on with the body, unless that ends. */
    async start(request: TestRequest, endsBody = false): Promise<OpenExchange> {
      if (version !== '2') return host.connect(request)
      const exchange = await openHttp2(url, request, patienceMs, endsBody)
      opened.push(exchange)
      return exchange
    },

    /** Encodes a request of HTTP/1. */
    encode: (request: TestRequest): Buffer => encodeRequest(url, request, version),

    /** Sends a request on a new connection, and waits for the whole response. */
    async send(request: TestRequest): Promise<Answer> {
      return (await host.trySend(request)) ?? violation(CLOSED, request)
    },

    /** Like `send`, and resolves to `undefined` if the host closes the connection without a response. */
    async trySend(request: TestRequest): Promise<Answer | undefined> {
      const close = version === '2' ? [] : [['connection', 'close'] as const]
      const fields = [...(request.fields ?? []), ...close]
      const exchange = await host.start({ ...request, fields }, true)
      return exchange.receive(request).finally(exchange.destroy)
    },

    /** Returns what the store has seen of an owner's requests. */
    async report(owner: string): Promise<Report> {
      const request = { ...LIST, token: `owner-report-${owner}` }
      const [name = ''] = namesIn(request, await host.send(request))
      return JSON.parse(name)
    },

    /** Waits until a request of the owner has ended, and returns the report. Default: the tests' patience. */
    async reportOfEnd(owner: string, withinMs = patienceMs): Promise<Report> {
      const deadline = Date.now() + withinMs
      while (Date.now() < deadline) {
        const report = await host.report(owner)
        if (report.outcomes.length > 0) return report
        await sleep(POLL_MS)
      }
      throw tooLate('The end of the request in onResponse did not come', withinMs)
    },

    /** Closes the connections that the test has left open, and ends the test if it has not ended. */
    close(): void {
      isClosed = true
      for (const connection of opened) connection.destroy()
    },
  }
  return host
}
