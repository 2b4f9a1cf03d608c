import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { answerParent } from '../shared/answer-parent.ts'
import { quantile } from './figures.ts'

/** The load: a process of its own, on another core than the servers. */

/** So many requests over so many kept-alive connections, one at a time on each. */
export interface LoadWork {
  kind: 'list' | 'create' | 'delete'
  connections: number
  count: number
  /** Default: one that every server knows, of the owner of 5 000 plants for lists and of another for the rest. */
  token?: string
  /** The query of the lists. Default: `?limit=10`. */
  query?: string
}

/** The server, and the first id that is created or deleted. */
type Target = { name: string; port: number; firstId: number }

export interface LoadResult {
  /** Requests per second. */
  throughput: number
  /** The median and the 99th percentile of the time to a whole response, in µs. */
  p50: number
  p99: number
}

interface Exchange {
  request: string
  status: number
}

/** Makes the exchange of each id. */
function exchangesOf({ kind, token, query = '?limit=10' }: LoadWork): (id: number) => Exchange {
  const owner = token ?? (kind === 'list' ? 'token-of-a-reader' : 'token-of-a-writer')
  const head = `HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${owner}\r\n`
  switch (kind) {
    case 'list': {
      const list = { request: `GET /plants${query} ${head}\r\n`, status: 200 }
      return () => list
    }
    case 'delete':
      return (id) => ({ request: `DELETE /plants/${id} ${head}\r\n`, status: 204 })
    case 'create':
      return (id) => {
        const body = `{"id":${id},"name":"Monstera ${id}","tag":"indoor"}`
        const type = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`
        return { request: `POST /plants ${head}${type}\r\n${body}`, status: 200 }
      }
  }
}

answerParent({
  async run(work: LoadWork & Target): Promise<LoadResult> {
    const { kind, connections, count, name, port, firstId } = work
    const exchangeOf = exchangesOf(work)
    let id = firstId
    const times: number[] = []
    const sockets = await connectionsTo(port, connections)
    const begin = performance.now()
    const next = () => (id < firstId + count ? exchangeOf(id++) : undefined)
    try {
      await Promise.all(sockets.map((socket) => converse(socket, next, times)))
    } catch (error) {
      throw new Error(`${name}, ${kind}: ${error}`)
    }
    const seconds = (performance.now() - begin) / 1000
    return {
      throughput: count / seconds,
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
    }
  },
})

const opened = new Map<number, Socket[]>()

/** Opens connections, or returns those of the run before, if the server has kept them. */
async function connectionsTo(port: number, count: number): Promise<Socket[]> {
  const sockets = (opened.get(port) ?? []).filter(({ readyState }) => readyState === 'open')
  while (sockets.length < count) sockets.push(await open(port))
  opened.set(port, sockets)
  return sockets.slice(0, count)
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket
}

/** Sends request after request over one connection, each when the one before it is answered. */
function converse(socket: Socket, next: () => Exchange | undefined, times: number[]) {
  return new Promise<void>((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0)
    let sent: Exchange | undefined
    let sentAt = 0
    function send(): void {
      sent = next()
      sentAt = performance.now()
      if (sent) socket.write(sent.request, 'latin1')
      else resolve()
    }
    // The listeners of the run before.
    for (const event of ['data', 'error', 'close']) socket.removeAllListeners(event)
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      if (!isComplete(received)) return
      times.push((performance.now() - sentAt) * 1000)
      const status = Number(received.toString('latin1', 9, 12))
      if (status !== sent?.status) reject(new Error(`Got ${received.toString('latin1')}`))
      received = Buffer.alloc(0)
      send()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('The server closed the connection')))
    send()
  })
}

const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n')
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i

/** Whether a whole answer has come in. */
function isComplete(received: Buffer): boolean {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return false
  const head = received.toString('latin1', 0, end + 2)
  const length = CONTENT_LENGTH.exec(head)
  if (length) return received.length >= end + 4 + Number(length[1])
  return head.startsWith('HTTP/1.1 204') || received.subarray(-7).equals(LAST_CHUNK)
}
