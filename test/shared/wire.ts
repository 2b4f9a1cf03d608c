import { connect as connectTo } from '../../src/testing/adapter/http1.ts'

export type Wire = Awaited<ReturnType<typeof connect>>

/** The head of a request with the token `t`, and with more fields. */
export const head = (line: string, ...fields: string[]) =>
  [`${line} HTTP/1.1`, 'Host: garden', 'Authorization: Bearer t', ...fields, '\r\n'].join('\r\n')

/** A create. Its body may be announced longer than it is. */
export const post = (body: string, length = body.length) =>
  head('POST /plants', 'Content-Type: application/json', `Content-Length: ${length}`) + body

/** Longer than any test may take. */
const PATIENCE_MS = 600_000

/** Connects to a server on this machine, to send what no HTTP client would. */
export async function connect(port: number, protocol = 'http') {
  const { stream, send, receive } = await connectTo(
    new URL(`${protocol}://127.0.0.1:${port}`),
    PATIENCE_MS,
  )
  return {
    socket: stream,
    send: (bytes: string | Uint8Array) => void send(bytes),
    /** The next answer, or null when the server closes the connection instead. Throws when it breaks off. */
    async receive({ toHead = false } = {}) {
      const answer = await receive({ method: toHead ? 'HEAD' : 'GET', path: '', token: null })
      if (!answer) return null
      const { status, headers, text, isComplete } = answer
      if (!isComplete) throw new Error(`The answer breaks off: ${text.slice(0, 200)}`)
      return { status, headers: Object.fromEntries(headers), body: text } // By lower-case name.
    },
  }
}
