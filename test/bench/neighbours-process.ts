import { Agent, request } from 'node:http'
import { answerParent } from '../shared/answer-parent.ts'

/** The clients that ask for much, or never finish: on another core than the server. */

/** The default of maxBodyBytes. */
const BODY_BYTES = 16 * 1024
const agent = new Agent({ keepAlive: true })

function begin(port: number, method: string, query = '') {
  const headers = {
    authorization: 'Bearer token-of-a-reader',
    ...(method === 'POST' && { 'content-type': 'application/json', 'content-length': BODY_BYTES }),
  }
  const options = { port, host: '127.0.0.1', path: `/plants${query}`, agent, method, headers }
  return request(options).on('error', () => {})
}

const neighbours = {
  /** Lists plants, again and again. */
  list: (port: number, query: string) => listAgain(port, 'GET', query),
  /** Asks for the head of a list, again and again. */
  head: (port: number, query: string) => listAgain(port, 'HEAD', query),
  /** Asks for all plants, and doesn't read. */
  stall: (port: number) => begin(port, 'GET').end(),
  /** Announces the largest body, and sends nothing of it. */
  announce: (port: number) => begin(port, 'POST').flushHeaders(),
  /** Sends all but the end of the largest body. */
  neverFinish: (port: number) => begin(port, 'POST').write(Buffer.alloc(BODY_BYTES - 10, ' ')),
}

function listAgain(port: number, method: string, query: string): void {
  const list = begin(port, method, query).end()
  list.on('response', (response) =>
    response.resume().on('end', () => listAgain(port, method, query)),
  )
}

export type Neighbour = keyof typeof neighbours

answerParent({
  begin({ port, neighbour, connections, query = '' }) {
    for (let i = 0; i < connections; i++) neighbours[neighbour as Neighbour](port, query)
  },
})
