import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { answerParent } from '../shared/answer-parent.ts'
import { quantile } from './figures.ts'

/** The load: a process of its own, on another core than the servers. */

/**
 * What every server is asked to do: so many requests over so many kept-alive connections, one at a time on each. A delete
 * removes what the create before it has created.
 */
export interface Work {
  name: string
  method: 'GET' | 'POST' | 'DELETE'
  connections: number
  count: number
  /** Default: one that every server knows, of the owner of 5 000 plants for lists and of another for the rest. */
  token?: string
  /** The query of the lists. Default: `?limit=10`. */
  query?: string
}

function requestOf({ method, token, query = '?limit=10' }: Work, id: number): string {
  const path = { GET: query, POST: '', DELETE: `/${id}` }[method]
  const owner = token ?? (method === 'GET' ? 'token-of-a-reader' : 'token-of-a-writer')
  const body = `{"id":${id},"name":"Monstera ${id}","tag":"indoor"}`
  const type = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`
  const head = `${method} /plants${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${owner}\r\n`
  return method === 'POST' ? `${head}${type}\r\n${body}` : `${head}\r\n`
}

answerParent({
  /** Loads a server from the first id that is created or deleted on. Times are those to a whole response, in µs. */
  async run(work: Work & { server: string; port: number; firstId: number }) {
    const { connections, count, server, port, firstId } = work
    const requests = Array.from({ length: count }, (_, i) => requestOf(work, firstId + i)).values()
    const sockets = await connectionsTo(port, connections)
    const times: number[] = []
    const begin = performance.now()
    try {
      await Promise.all(sockets.map((socket) => converse(socket, requests, times)))
    } catch (error) {
      throw new Error(`${server}, ${work.name}: ${error}`)
    }
    const seconds = (performance.now() - begin) / 1000
    return { throughput: count / seconds, p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
  },
})

const opened = new Map<number, Socket[]>()

/** Opens connections, or returns those of the run before, if the server has kept them. */
async function connectionsTo(port: number, count: number): Promise<Socket[]> {
  const sockets = (opened.get(port) ?? []).filter(({ readyState }) => readyState === 'open')
  while (sockets.length < count) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => {})
    socket.on('end', () => socket.destroy(new Error('The server closed the connection')))
    await once(socket, 'connect')
    sockets.push(socket)
  }
  opened.set(port, sockets)
  return sockets.slice(0, count)
}

/** Sends request after request over one connection, each when the one before it is answered. */
async function converse(socket: Socket, requests: Iterable<string>, times: number[]) {
  for (const request of requests) {
    const sentAt = performance.now()
    socket.write(request, 'latin1')
    let received: Buffer = Buffer.alloc(0)
    while (!isComplete(received)) {
      const [chunk] = await once(socket, 'data')
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    }
    times.push((performance.now() - sentAt) * 1000)
    if (!/^20[04]$/.test(received.toString('latin1', 9, 12))) throw new Error(`Got ${received}`)
  }
}

const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n')

/** Whether a whole answer has come in. */
function isComplete(received: Buffer): boolean {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return false
  const head = received.toString('latin1', 0, end + 2)
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? []
  if (length) return received.length >= end + 4 + Number(length)
  return head.startsWith('HTTP/1.1 204') || received.subarray(-7).equals(LAST_CHUNK)
}
