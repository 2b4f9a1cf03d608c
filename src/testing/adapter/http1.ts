import type { Socket } from 'node:net'
import { inTime } from '../waiting.ts'
import { type Answer, CHUNKED, fieldsOf, type TestRequest, violation } from './exchange.ts'

/** A connection over which tests send bytes that no HTTP client would. */
export type TestConnection = Awaited<ReturnType<typeof connect>>

/**
 * Opens a connection to the origin of this URL.
 *
 * @param patienceMs how long to wait for each part of a response
 * @param isStrict whether the certificate must be right. Default: false
 */
export async function connect(url: URL, patienceMs: number, isStrict = false) {
  const socket = await openSocket(url, isStrict)
  /** One character a byte. */
  let received = ''
  /** Whether the server has ended its side. `undefined` while the connection is open. */
  let hasEnded: boolean | undefined
  let wake = () => {}
  function finish(isEnd: boolean): void {
    hasEnded ??= isEnd
    wake()
  }
  socket.setNoDelay().setEncoding('latin1')
  socket.on('data', (text) => {
    received += text
    wake()
  })
  socket.on('end', () => finish(true)).on('close', () => finish(false))
  socket.on('error', () => {})

  /** Waits until more has come, or the connection has ended. */
  function more(withinMs: number, problem: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    wake = resolve
    return inTime(withinMs, problem, promise)
  }

  return {
    stream: socket,
    /** Hangs up. */
    destroy: () => void socket.destroy(),
    /** Sends bytes, and waits until the server has taken them or has closed the connection. */
    send: (bytes: string | Uint8Array) =>
      new Promise<void>((resolve) => {
        socket.write(bytes, () => resolve())
      }),
    /**
     * Waits for the response to this request, and no longer than this. Default: as long as the connection's patience.
     * `undefined` if the server closes the connection without one.
     */
    async receive(request: TestRequest, withinMs = patienceMs): Promise<Answer | undefined> {
      for (;;) {
        const parsed = parseAnswer(received, hasEnded, request.method === 'HEAD')
        if (parsed) {
          received = received.slice(parsed.length)
          return parsed.answer
        }
        if (hasEnded !== undefined) return undefined
        await more(withinMs, 'A response did not come').catch(({ message }) =>
          violation(message, request, received),
        )
      }
    },
    /** Waits until the server has ended its side, and no longer than this. */
    async ended(withinMs: number): Promise<void> {
      while (hasEnded === undefined) await more(withinMs, 'The host did not close the connection')
    },
  }
}

async function openSocket({ protocol, hostname, port }: URL, rejectUnauthorized: boolean) {
  // Loaded here, so that plant-store/testing can be imported without Node.
  const net = await import('node:net')
  const tls = protocol === 'https:' ? await import('node:tls') : undefined
  const host = hostname.replace(/[[\]]/g, '')
  // An IP address has no certificate of its name.
  const name = /^[\d.]+$|:/.test(host) ? {} : { servername: host }
  return new Promise<Socket>((resolve, reject) => {
    const socket = tls
      ? tls.connect({ host, port: Number(port || 443), rejectUnauthorized, ...name })
      : net.connect({ host, port: Number(port || 80) })
    socket.once(tls ? 'secureConnect' : 'connect', () => resolve(socket))
    socket.once('error', reject)
  })
}

/** Writes a request as HTTP/1.0 or 1.1 has it. */
export function encodeRequest(url: URL, request: TestRequest, version: string): Buffer {
  const { method, path, body = '', isStreamed } = request
  const origin = request.isAbsolute ? url.origin : ''
  const fields = [['host', url.host], ...fieldsOf(request), ...(isStreamed ? [CHUNKED] : [])]
  const lines = [
    `${method} ${origin}${url.pathname.replace(/\/$/, '')}${path} HTTP/${version}`,
    ...fields.map(([name, value]) => `${name}: ${value}`),
  ]
  const bytes = Buffer.from(body as string).toString('latin1')
  const middle = Math.ceil(bytes.length / 2)
  const parts = [bytes.slice(0, middle), bytes.slice(middle), '']
  const sent = isStreamed ? parts.map(toChunk).join('') : bytes
  // Some fields have bytes that are not UTF-8.
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${sent}`, 'latin1')
}

/** Frames a part of a body, one character a byte. An empty one ends the body. */
export function toChunk(bytes: string): string {
  return `${bytes.length.toString(16)}\r\n${bytes}\r\n`
}

/** Parses the first response in what was received, and tells its length there. */
function parseAnswer(received: string, hasEnded: boolean | undefined, toHead: boolean) {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [statusLine = '', ...lines] = received.slice(0, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1])
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const [name, value] = [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    headers.set(name, headers.has(name) ? `${headers.get(name)}, ${value}` : value)
  }
  const rest = received.slice(headEnd + 4)
  const isBodyless = toHead || status < 200 || status === 204 || status === 304
  const announced = isBodyless ? '0' : headers.get('content-length')
  const isChunked = !isBodyless && /^chunked$/i.test(headers.get('transfer-encoding') ?? '')
  const body = isChunked ? parseChunks(rest) : readPlain(rest, announced, hasEnded)
  if (!body && hasEnded === undefined) return undefined
  const { bytes, length } = body ?? { bytes: rest, length: rest.length }
  const text = Buffer.from(bytes, 'latin1').toString()
  const answer: Answer = { status, headers, text, isComplete: body !== undefined }
  return { answer, length: headEnd + 4 + length }
}

interface Body {
  bytes: string
  length: number
}

function readPlain(text: string, length: string | undefined, hasEnded?: boolean): Body | undefined {
  // Without a length, the end of the connection is the end of the body (RFC 9112, section 6.3), unless it is reset.
  if (length === undefined) return hasEnded ? { bytes: text, length: text.length } : undefined
  const bytes = text.slice(0, Number(length))
  return bytes.length < Number(length) ? undefined : { bytes, length: bytes.length }
}

function parseChunks(text: string): Body | undefined {
  const chunks: string[] = []
  for (let at = 0; ; ) {
    const lineEnd = text.indexOf('\r\n', at)
    const size = Number.parseInt(text.slice(at, lineEnd), 16)
    const end = lineEnd + size + 4
    if (lineEnd < 0 || !(text.length >= end)) return undefined
    chunks.push(text.slice(lineEnd + 2, end - 2))
    at = end
    if (size === 0) return { bytes: chunks.join(''), length: at }
  }
}
