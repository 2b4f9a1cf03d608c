import { Agent, type ClientRequest, request } from 'node:http'
import { answerParent } from '../shared/answer-parent.ts'

/** The clients that ask for much, or never finish: on another core than the server. */

/** The default of maxBodyBytes. */
const BODY_BYTES = 16 * 1024
const agent = new Agent({ keepAlive: true })

function begin(port: number, asked: string): ClientRequest {
  const [method, query] = asked.split(' ')
  const headers = {
    authorization: 'Bearer token-of-a-reader',
    ...(method === 'POST' && { 'content-type': 'application/json', 'content-length': BODY_BYTES }),
  }
  const options = { port, host: '127.0.0.1', path: `/plants${query}`, agent, method, headers }
  return request(options).on('error', () => {})
}

const neighbours = {
  /** Lists plants, again and again. */
  list(port: number, asked: string) {
    const list = begin(port, asked).end()
    list.on('response', (response) => response.resume().on('end', () => this.list(port, asked)))
  },
  /** Asks for all plants, and doesn't read. */
  stall: (port: number) => begin(port, 'GET ').end(),
  /** Announces the largest body, and sends nothing of it. */
  announce: (port: number) => begin(port, 'POST ').flushHeaders(),
  /** Sends all but the end of the largest body. */
  neverFinish: (port: number) => begin(port, 'POST ').write(Buffer.alloc(BODY_BYTES - 10, ' ')),
}

export type Neighbour = keyof typeof neighbours

answerParent({
  begin({ port, neighbour, connections, asked }) {
    for (let i = 0; i < connections; i++) neighbours[neighbour as Neighbour](port, asked)
  },
})
