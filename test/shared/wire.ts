import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'

/** An answer as it came over the wire. */
export interface Answer {
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

export async function connect(port: number): Promise<Wire> {
  const socket = connectTcp({ port, host: '127.0.0.1', allowHalfOpen: true })
  await once(socket, 'connect')
  let received = ''
  let over = false
  let wake = () => {}
  socket.setEncoding('latin1')
  socket.on('data', (text) => {
    received += text
    wake()
  })
  socket.on('error', () => {})
  for (const end of ['end', 'close']) {
    socket.on(end, () => {
      over = true
      wake()
    })
  }

  async function receive({ toHead = false } = {}): Promise<Answer | null> {
    for (;;) {
      const parsed = parse(received, over, toHead)
      if (parsed) {
        received = received.slice(parsed.length)
        return parsed.answer
      }
      if (over && received === '') return null
      if (over) throw new Error(`The answer breaks off: ${JSON.stringify(received.slice(0, 200))}`)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return { socket, send: (bytes) => void socket.write(bytes), receive }
}

/**
 * Sends a request on a connection of its own, one byte per character, and returns the response once the server
 * has closed the connection. The request must ask for that (`Connection: close`) or be rejected.
 */
export async function sendRaw(port: number, bytes: string): Promise<Answer> {
  const wire = await connect(port)
  wire.send(Buffer.from(bytes, 'latin1'))
  const answer = await wire.receive()
  if (answer === null) throw new Error('Got no answer: the server closed the connection')
  while (await wire.receive());
  wire.socket.destroy()
  return answer
}

function parse(text: string, over: boolean, toHead: boolean) {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [statusLine = '', ...lines] = text.slice(0, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const bodyless = toHead || status < 200 || status === 204
  const content = readContent(text, headEnd + 4, headers, bodyless, over)
  return content && { answer: { status, headers, body: content.body }, length: content.end }
}

function readContent(
  text: string,
  start: number,
  headers: Record<string, string>,
  bodyless: boolean,
  over: boolean,
) {
  if (bodyless) return { body: '', end: start }
  if (headers['transfer-encoding'] === 'chunked') return readChunks(text, start)
  const length = headers['content-length']
  if (length === undefined) return over ? { body: text.slice(start), end: text.length } : undefined
  const end = start + Number(length)
  return text.length < end ? undefined : { body: text.slice(start, end), end }
}

function readChunks(text: string, start: number) {
  let body = ''
  for (let at = start; ; ) {
    const lineEnd = text.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(text.slice(at, lineEnd), 16)
    const end = lineEnd + 2 + size + 2
    if (text.length < end) return undefined
    body += text.slice(lineEnd + 2, end - 2)
    if (size === 0) return { body, end }
    at = end
  }
}
