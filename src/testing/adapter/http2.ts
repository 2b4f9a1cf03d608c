import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2'
import { inTime } from '../waiting.ts'
import { type Answer, fieldsOf, type TestRequest, violation } from './exchange.ts'

/**
 * Sends a request over HTTP/2 on a new connection, without an upgrade. A certificate is not checked.
 *
 * @param patienceMs how long to wait for the response
 * @param endsBody whether the body ends with the request's. If not, the caller goes on with it
 */
export async function openHttp2(
  url: URL,
  request: TestRequest,
  patienceMs: number,
  endsBody: boolean,
) {
  const { connect } = await import('node:http2')
  const session: ClientHttp2Session = connect(url.origin, { rejectUnauthorized: false })
  await new Promise<void>((resolve, reject) => {
    session.on('error', reject).once('connect', () => resolve())
  })
  const { method, path, body } = request
  const headers: OutgoingHttpHeaders = {
    ':method': method,
    ':path': url.pathname.replace(/\/$/, '') + path,
  }
  for (const [name, value] of fieldsOf(request)) {
    headers[name] = name in headers ? [`${headers[name]}`, value] : value
  }
  const stream = session.request(headers, { endStream: endsBody && body === undefined })
  const answered = collect(stream)
  // A server may refuse a body before all of it has been sent.
  if (body !== undefined) stream.end(body)
  return {
    stream,
    /** Waits for the response, and for its end. `undefined` if the stream ends without one. */
    receive: () =>
      inTime(patienceMs, 'A response did not come', answered).catch((error) =>
        violation(error.message, request),
      ),
    /** Closes the connection. */
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
    stream.on('data', (part) => (text += part))
    stream.on('error', () => {})
    // A server may ask with NO_ERROR to stop a body that it has answered (RFC 9113, section 8.1).
    const finish = () => resolve(head && { ...head, text, isComplete: stream.rstCode === 0 })
    // A stream that is reset with an error has only the second event.
    stream.on('end', finish).on('close', finish)
  })
}
