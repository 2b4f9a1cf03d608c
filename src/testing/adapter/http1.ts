import type { Socket } from 'node:net'
import { inTime } from '../waiting.ts'
import {
  type Answer,
  fieldsOf,
  fromLatin1,
  type Latin1,
  type TestRequest,
  toBytes,
} from './exchange.ts'
import { violation } from './show-exchange.ts'

/** A connection over which tests send bytes that no HTTP client would. */
export interface TestConnection {
  readonly stream: Socket
  /** Hangs up. */
  destroy(): void
  /** Sends bytes, and waits until the server has taken them or has closed the connection. */
  send(bytes: string | Uint8Array): Promise<void>
  /**
   * Waits for the response to this request, and no longer than this. Default: as long as the connection's patience.
   * `undefined` if the server closes the connection without one.
   */
  receive(request: TestRequest, withinMs?: number): Promise<Answer | undefined>
  /** Waits until the server has ended its side, and no longer than this. */
  ended(withinMs: number): Promise<void>
}

const CHUNK_BYTES = 60_000

/**
 * Opens a connection to the origin of this URL.
 *
 * @param patienceMs how long to wait for each part of a response
 * @param isStrict whether the certificate must be right. Default: false
 */
export async function connect(
  url: URL,
  patienceMs: number,
  isStrict = false,
): Promise<TestConnection> {
  const socket = await openSocket(url, isStrict)
  let received = ''
  // Whether the server has ended its side. `undefined` while the connection is open.
  let hasEnded: boolean | undefined
  let wake = () => {}
  socket.setNoDelay()
  socket.setEncoding('latin1')
  socket.on('data', (text) => {
    received += text
    wake()
  })
  const finish = (isEnd: boolean) => () => {
    hasEnded ??= isEnd
    wake()
  }
  socket.on('end', finish(true))
  socket.on('close', finish(false))
  socket.on('error', () => {})

  /** Waits until more has come, or the connection has ended. */
  function more(withinMs: number, problem: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    wake = resolve
    return inTime(withinMs, problem, promise)
  }

  return {
    stream: socket,
    destroy: () => socket.destroy(),
    send: (bytes) =>
      new Promise((resolve) => {
        socket.write(bytes, () => resolve())
      }),
    async receive(request, withinMs = patienceMs) {
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
    async ended(withinMs) {
      while (hasEnded === undefined) await more(withinMs, 'The host did not close the connection')
    },
  }
}

async function openSocket(
  { protocol, hostname, port }: URL,
  rejectUnauthorized: boolean,
): Promise<Socket> {
  // Loaded here, so that plant-store/testing can be imported without Node.
  const net = await import('node:net')
  const tls = protocol === 'https:' ? await import('node:tls') : undefined
  const host = hostname.replace(/[[\]]/g, '')
  return new Promise((resolve, reject) => {
    const socket = tls
      ? tls.connect({ host, port: Number(port || 443), rejectUnauthorized, ...nameOf(host) })
      : net.connect({ host, port: Number(port || 80) })
    socket.once(tls ? 'secureConnect' : 'connect', () => resolve(socket))
    socket.once('error', reject)
  })
}

/** The name to ask for a certificate of: an IP address has none. */
function nameOf(host: string) {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host }
}

/** Writes a request as HTTP/1.0 or 1.1 has it. */
export function encodeRequest(url: URL, request: TestRequest, version: '1.0' | '1.1'): Uint8Array {
  const { method, path, body, isStreamed } = request
  const origin = request.isAbsolute ? url.origin : ''
  const lines = [
    `${method} ${origin}${url.pathname.replace(/\/$/, '')}${path} HTTP/${version}`,
    `host: ${url.host}`,
    ...fieldsOf(request).map(([name, value]) => `${name}: ${value}`),
    ...(isStreamed ? ['transfer-encoding: chunked'] : []),
  ]
  // Some fields have bytes that are not UTF-8.
  const head = fromLatin1(`${lines.join('\r\n')}\r\n\r\n`)
  if (body === undefined) return head
  return join([head, ...(isStreamed ? toChunks(toBytes(body)) : [toBytes(body)])])
}

function toChunks(bytes: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const chunk = bytes.subarray(at, at + CHUNK_BYTES)
    chunks.push(toBytes(`${chunk.length.toString(16)}\r\n`), chunk, toBytes('\r\n'))
  }
  return [...chunks, toBytes('0\r\n\r\n')]
}

function join(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

interface Body {
  bytes: Latin1
  /** Where it ends in what was received. */
  end: number
  longestChunk?: number | undefined
}

interface Parsed {
  answer: Answer
  /** The number of characters that the response takes. */
  length: number
}

function parseAnswer(
  text: string,
  hasEnded: boolean | undefined,
  toHead: boolean,
): Parsed | undefined {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [statusLine = '', ...lines] = text.slice(0, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1] ?? Number.NaN)
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const [name, value] = [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    headers.set(name, headers.has(name) ? `${headers.get(name)}, ${value}` : value)
  }
  const start = headEnd + 4
  const isBodyless = toHead || status < 200 || status === 204 || status === 304
  const body: Body | undefined = isBodyless
    ? { bytes: '', end: start }
    : headers.get('transfer-encoding')?.toLowerCase() === 'chunked'
      ? parseChunks(text, start)
      : readPlain(text, start, headers.get('content-length'), hasEnded)
  if (body) return toParsed(body, true)
  if (hasEnded === undefined) return undefined
  return toParsed({ bytes: text.slice(start), end: text.length }, false)

  function toParsed({ bytes, end, longestChunk }: Body, isComplete: boolean): Parsed {
    const decoded = new TextDecoder().decode(fromLatin1(bytes))
    return { answer: { status, headers, text: decoded, isComplete, longestChunk }, length: end }
  }
}

function readPlain(text: string, start: number, length: string | undefined, hasEnded?: boolean) {
  // Without a length, the end of the connection is the end of the body (RFC 9112, section 6.3), unless it is reset.
  if (length === undefined) {
    return hasEnded ? { bytes: text.slice(start), end: text.length } : undefined
  }
  const to = start + Number(length)
  return text.length < to ? undefined : { bytes: text.slice(start, to), end: to }
}

function parseChunks(text: string, start: number) {
  const chunks: string[] = []
  let longestChunk = 0
  for (let at = start; ; ) {
    const lineEnd = text.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(text.slice(at, lineEnd), 16)
    const end = lineEnd + 2 + size + 2
    if (!(text.length >= end)) return undefined
    chunks.push(text.slice(lineEnd + 2, end - 2))
    if (size === 0) return { bytes: chunks.join(''), end, longestChunk }
    longestChunk = Math.max(longestChunk, size)
    at = end
  }
}
