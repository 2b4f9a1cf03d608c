import { connect, type Socket } from 'node:net'
import { quantile } from './figures.ts'
import { answerParent } from './processes.ts'

/** The load: a process of its own, on another core than the servers. */

/** The load: `count` requests over `connections` kept-alive connections, one at a time on each. */
export interface LoadWork {
  kind: 'list' | 'create' | 'delete'
  port: number
  connections: number
  count: number
  /** The first id that is created or deleted. */
  firstId: number
}

export interface LoadResult {
  seconds: number
  /** The median and the 99th percentile of the time to a whole response, in µs. */
  p50: number
  p99: number
  /** The share of one core that the load itself took. Near 1, the load is the bottleneck, not the server. */
  utilization: number
  /** Responses with another status than they must have. */
  unexpected: number
}

const WRITER = 'token-of-a-writer'

interface Exchange {
  request: string
  status: number
}

function exchange(
  method: string,
  path: string,
  token: string,
  status: number,
  body = '',
): Exchange {
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n`
  const type = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`
  return { request: `${head}${body && type}\r\n${body}`, status }
}

const LIST = exchange('GET', '/plants?limit=10', 'token-of-a-reader', 200)

/** Returns the function that makes the next request. */
function script({ kind, firstId, count }: LoadWork): () => Exchange {
  let next = firstId
  let last = firstId + count
  if (kind === 'list') return () => LIST
  // The newest first, so that the array of the Map's storage is only cut at its end.
  if (kind === 'delete') return () => exchange('DELETE', `/plants/${--last}`, WRITER, 204)
  return () => {
    const id = next++
    const body = `{"id":${id},"name":"Monstera ${id}","tag":"indoor"}`
    return exchange('POST', '/plants', WRITER, 200, body)
  }
}

answerParent({
  async run(work: LoadWork): Promise<LoadResult> {
    const { port, connections, count } = work
    const next = script(work)
    const times: number[] = []
    let unexpected = 0
    let started = 0
    const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)))
    const nextOrNone = () => (started++ < count ? next() : undefined)
    function onAnswer(isExpected: boolean, milliseconds: number): void {
      if (!isExpected) unexpected++
      times.push(milliseconds * 1000)
    }
    const cpu = process.cpuUsage()
    const begin = performance.now()
    await Promise.all(sockets.map((socket) => converse(socket, nextOrNone, onAnswer)))
    const seconds = (performance.now() - begin) / 1000
    const { user, system } = process.cpuUsage(cpu)
    for (const socket of sockets) socket.destroy()
    return {
      seconds,
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
      utilization: (user + system) / 1e6 / seconds,
      unexpected,
    }
  },
})

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.once('connect', () => resolve(socket)).once('error', reject)
  })
}

/** Sends request after request over one connection, each when the one before it is answered. */
function converse(
  socket: Socket,
  next: () => Exchange | undefined,
  onAnswer: (isExpected: boolean, milliseconds: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = ''
    let sent: Exchange
    let sentAt = 0
    function send(): void {
      const exchange = next()
      if (!exchange) {
        resolve()
        return
      }
      sent = exchange
      sentAt = performance.now()
      socket.write(sent.request, 'latin1')
    }
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
      if (!isComplete(received)) return
      onAnswer(Number(received.slice(9, 12)) === sent.status, performance.now() - sentAt)
      received = ''
      send()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('The server closed the connection')))
    send()
  })
}

const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i

/** Whether a whole answer has come in. Its length is in bytes, and so is latin1's. */
function isComplete(received: string): boolean {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return false
  const length = CONTENT_LENGTH.exec(received)
  if (length) return received.length >= end + 4 + Number(length[1])
  return received.startsWith('HTTP/1.1 204') || received.endsWith('\r\n0\r\n\r\n')
}
