import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import { inTime } from '../waiting.ts'
import { type Answer, fieldsOf, type TestRequest, toBytes } from './exchange.ts'
import { violation } from './show-exchange.ts'

/** A request on an HTTP/2 connection of its own. */
export interface Http2Exchange {
  readonly stream: ClientHttp2Stream
  /** Waits for the response, and for its end. `undefined` if the stream ends without one. */
  answer(): Promise<Answer | undefined>
  /** Closes the connection. */
  destroy(): void
}

/**
 * Sends a request over HTTP/2, without an upgrade. A certificate is not checked.
 *
 * @param patienceMs how long to wait for the response
 * @param endsBody whether the body ends with the request's. If not, the caller goes on with it
 */
export async function openHttp2(
  url: URL,
  request: TestRequest,
  patienceMs: number,
  endsBody: boolean,
): Promise<Http2Exchange> {
  const { connect } = await import('node:http2')
  const session: ClientHttp2Session = connect(url.origin, { rejectUnauthorized: false })
  const { method, path, body } = request
  const connected = Promise.withResolvers<void>()
  session.on('error', connected.reject)
  session.once('connect', () => connected.resolve())
  await connected.promise

  const headers: Record<string, string | string[]> = {
    ':method': method,
    ':path': url.pathname.replace(/\/$/, '') + path,
  }
  for (const [name, value] of fieldsOf(request))
    headers[name] = name in headers ? [headers[name]!, value].flat() : value
  const stream = session.request(headers, { endStream: endsBody && body === undefined })
  const answered = collect(stream)
  // A server may refuse a body before all of it has been sent.
  if (body !== undefined) stream.end(toBytes(body))
  return {
    stream,
    answer: () =>
      inTime(patienceMs, 'A response did not come', answered).catch((error) =>
        violation(error.message, request),
      ),
    destroy: () => session.destroy(),
  }
}

function collect(stream: ClientHttp2Stream): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    let head: Pick<Answer, 'status' | 'headers'> | undefined
    let text = ''
    stream.setEncoding('utf8')
    stream.on('response', (fields) => {
      const headers = Object.entries(fields).map(([name, value]) => [name, String(value)] as const)
      head = { status: Number(fields[':status']), headers: new Map(headers) }
    })
    stream.on('data', (part) => {
      text += part
    })
    stream.on('error', () => {})
    // A server may ask with NO_ERROR to stop a body that it has answered (RFC 9113, section 8.1).
    const finish = () => resolve(head && { ...head, text, isComplete: stream.rstCode === 0 })
    stream.on('end', finish)
    // The only event of a stream that is reset with an error.
    stream.on('close', finish)
  })
}
