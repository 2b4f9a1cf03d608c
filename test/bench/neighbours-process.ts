import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { answerParent } from '../shared/answer-parent.ts'

/** The clients that ask for much, or never finish: on another core than the server. */

/** The default of maxBodyBytes. */
const BODY_BYTES = 64 * 1024
const sockets: Socket[] = []

async function open(port: number, count: number): Promise<Socket[]> {
  const opened: Socket[] = []
  while (opened.length < count) {
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {})
    await once(socket, 'connect')
    opened.push(socket)
  }
  sockets.push(...opened)
  return opened
}

const head = (line: string, fields = '') =>
  `${line} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer token-of-a-reader\r\n${fields}\r\n`
const LIST = head('GET /plants')

answerParent({
  /** Lists all plants, or the first `limit`, again and again on each connection. */
  async list({ port, connections, limit }: { port: number; connections: number; limit?: number }) {
    const list = limit === undefined ? LIST : head(`GET /plants?limit=${limit}`)
    // The last chunk of a streamed list is an empty one.
    const end = Buffer.from(limit === undefined ? '0\r\n\r\n' : ']')
    for (const socket of await open(port, connections)) {
      socket.on('data', (chunk: Buffer) => {
        if (chunk.subarray(-end.length).equals(end)) socket.write(list)
      })
      socket.write(list)
    }
  },
  /** Asks for all plants on each connection, and doesn't read. */
  async stall({ port, connections }: { port: number; connections: number }) {
    for (const socket of await open(port, connections)) {
      socket.pause()
      socket.write(LIST)
    }
  },
  /** Sends all but the end of the largest body on each connection. */
  async neverFinish({ port, connections }: { port: number; connections: number }) {
    const fields = `content-type: application/json\r\ncontent-length: ${BODY_BYTES}\r\n`
    const body = Buffer.alloc(BODY_BYTES - 10, ' ')
    for (const socket of await open(port, connections)) {
      socket.resume()
      socket.write(head('POST /plants', fields))
      socket.write(body)
    }
  },
  stop() {
    for (const socket of sockets.splice(0)) socket.destroy()
  },
})
