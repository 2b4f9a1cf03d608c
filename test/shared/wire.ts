import type { Socket } from 'node:net'
import { connect as connectTo } from '../../src/testing/adapter/http1.ts'

/** An answer as it came over the wire. */
interface Answer {
  status: number
  /** By lower-case name. */
  headers: Record<string, string>
  body: string
}

/** A connection to a server on this machine that sends what no HTTP client would. */
export interface Wire {
  readonly socket: Socket
  send(bytes: string | Uint8Array): void
  /** The next answer, or null when the server closes the connection instead. Throws when it breaks off. */
  receive(options?: { toHead?: boolean }): Promise<Answer | null>
}

/** Longer than any test may take. */
const PATIENCE_MS = 600_000

export async function connect(port: number, protocol = 'http'): Promise<Wire> {
  const { stream, send, receive } = await connectTo(
    new URL(`${protocol}://127.0.0.1:${port}`),
    PATIENCE_MS,
  )
  return {
    socket: stream,
    send: (bytes) => void send(bytes),
    async receive({ toHead = false } = {}) {
      const answer = await receive({ method: toHead ? 'HEAD' : 'GET', path: '', token: null })
      if (!answer) return null
      const { status, headers, text, isComplete } = answer
      if (!isComplete) throw new Error(`The answer breaks off: ${text.slice(0, 200)}`)
      return { status, headers: Object.fromEntries(headers), body: text }
    },
  }
}
