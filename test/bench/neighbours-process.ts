import { Agent, request } from 'node:http'
import { answerParent } from '../shared/answer-parent.ts'

/** The clients that ask for much, or never finish: on another core than the server. */

/** The default of maxBodyBytes. */
const BODY_BYTES = 16 * 1024
const agent = new Agent({ keepAlive: true })

function begin(port: number, method: string, query = '', fields = {}) {
  const headers = { authorization: 'Bearer token-of-a-reader', ...fields }
  const options = { port, host: '127.0.0.1', path: `/plants${query}`, agent, method, headers }
  return request(options).on('error', () => {})
}

const neighbours: Record<string, (port: number, query?: string) => void> = {
  /** Lists plants, again and again. */
  list(port, query) {
    const list = begin(port, 'GET', query).end()
    list.on('response', (response) =>
      response.resume().on('end', () => neighbours.list!(port, query)),
    )
  },
  /** Asks for all plants, and doesn't read. */
  stall: (port) => void begin(port, 'GET').end(),
  /** Announces the largest body, and sends nothing of it. */
  announce(port) {
    const fields = { 'content-type': 'application/json', 'content-length': BODY_BYTES }
    begin(port, 'POST', '', fields).flushHeaders()
  },
  /** Sends all but the end of the largest body. */
  neverFinish(port) {
    const fields = { 'content-type': 'application/json', 'content-length': BODY_BYTES }
    begin(port, 'POST', '', fields).write(Buffer.alloc(BODY_BYTES - 10, ' '))
  },
}

answerParent({
  begin({ port, neighbour, connections, query }) {
    for (let i = 0; i < connections; i++) neighbours[neighbour]!(port, query)
  },
})
