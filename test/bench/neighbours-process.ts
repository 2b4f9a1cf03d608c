import { Agent, request } from 'node:http'
import { answerParent } from '../shared/answer-parent.ts'

/** The clients that ask for much, or never finish: on another core than the server. */

/** The default of maxBodyBytes. */
const BODY_BYTES = 64 * 1024
const agent = new Agent({ keepAlive: true })

function begin(port: number, method: string, fields = {}) {
  const headers = { authorization: 'Bearer token-of-a-reader', ...fields }
  const options = { port, host: '127.0.0.1', path: '/plants', agent, method, headers }
  return request(options).on('error', () => {})
}

const neighbours: Record<string, (port: number) => void> = {
  /** Lists all plants, again and again. */
  list(port) {
    const list = begin(port, 'GET').end()
    list.on('response', (response) => response.resume().on('end', () => neighbours.list!(port)))
  },
  /** Asks for all plants, and doesn't read. */
  stall: (port) => void begin(port, 'GET').end(),
  /** Sends all but the end of the largest body. */
  neverFinish(port) {
    const fields = { 'content-type': 'application/json', 'content-length': BODY_BYTES }
    begin(port, 'POST', fields).write(Buffer.alloc(BODY_BYTES - 10, ' '))
  },
}

answerParent({
  begin({ port, neighbour, connections }) {
    for (let i = 0; i < connections; i++) neighbours[neighbour]!(port)
  },
})
