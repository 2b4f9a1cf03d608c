import { Agent, request } from 'node:http'
import { answerParent } from '../shared/answer-parent.ts'

/** The clients that ask for much, or never finish: on another core than the server. */

/** The default of maxBodyBytes. */
const BODY_BYTES = 64 * 1024

interface Clients {
  port: number
  connections: number
}

const agent = new Agent({ keepAlive: true })

/** Begins a request on each connection. */
function begin({ port, connections }: Clients, method: string, fields = {}) {
  const headers = { authorization: 'Bearer token-of-a-reader', ...fields }
  const options = { port, host: '127.0.0.1', path: '/plants', agent, method, headers }
  return Array.from({ length: connections }, () => request(options))
}

/** Lists all plants, again and again. */
function listForever(clients: Clients): void {
  for (const list of begin({ ...clients, connections: 1 }, 'GET')) {
    list.on('response', (response) => response.resume().on('end', () => listForever(clients)))
    list.end()
  }
}

answerParent({
  list(clients: Clients) {
    for (let i = 0; i < clients.connections; i++) listForever(clients)
  },
  /** Asks for all plants on each connection, and doesn't read. */
  stall(clients: Clients) {
    for (const list of begin(clients, 'GET')) list.end()
  },
  /** Sends all but the end of the largest body on each connection. */
  neverFinish(clients: Clients) {
    const fields = { 'content-type': 'application/json', 'content-length': BODY_BYTES }
    for (const create of begin(clients, 'POST', fields)) {
      create.on('error', () => {}).write(Buffer.alloc(BODY_BYTES - 10, ' '))
    }
  },
})
