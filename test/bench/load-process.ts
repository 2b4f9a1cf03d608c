import { connect, type Socket } from 'node:net'
import { answerParent } from './processes.ts'

/**
 * What to send: `count` requests over `connections` kept-alive connections, one after the other on each.
 * Where requests belong together, each connection finishes what it has begun.
 */
export interface Work {
  kind: 'list' | 'create' | 'contend' | 'mixed'
  /** Connections are dealt out to the ports in turn. */
  ports: number[]
  connections: number
  count: number
  /** The first id that is created. */
  firstId?: number
}

export interface LoadResult {
  requests: number
  seconds: number
  /** How much of one core the load itself took: well below 1, or it is what was measured. */
  utilization: number
  unexpected: number
}

interface Exchange {
  request: string
  expects(status: number): boolean
}

const head = (method: string, target: string, token: string) =>
  `${method} ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n`

const LIST: Exchange = {
  request: `${head('GET', '/plants?limit=10', 'token-of-a-reader')}\r\n`,
  expects: is(200),
}

function create(id: number, expects = is(200)): Exchange {
  const body = `{"id":${id},"name":"Monstera ${id}","tag":"indoor"}`
  const request = `${head('POST', '/plants', 'token-of-a-writer')}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  return { request, expects }
}

function remove(id: number, expects: Exchange['expects']): Exchange {
  return { request: `${head('DELETE', `/plants/${id}`, 'token-of-a-writer')}\r\n`, expects }
}

function is(expected: number): Exchange['expects'] {
  return (status) => status === expected
}

/** A create, a duplicate, a delete, another one of the same plant, and lists. */
const MIXED_CYCLE = 8

/** Answers with what connection after connection asks for its next request. */
function script({ kind, firstId = 1 }: Work): () => (turn: number) => Exchange {
  let nextId = firstId
  switch (kind) {
    case 'list':
      return () => () => LIST
    case 'create':
      return () => () => create(nextId++)
    // Two connections ask for the same id at once: one is told 200, the other 400.
    case 'contend': {
      const told = new Map<number, number>()
      let turns = 0
      return () => () => {
        const id = firstId + (turns++ >> 1)
        return create(id, (status) => {
          const other = told.get(id)
          told.set(id, status)
          return other === undefined
            ? status === 200 || status === 400
            : status === (other === 200 ? 400 : 200)
        })
      }
    }
    case 'mixed':
      return () => {
        let id = 0
        return (turn) => {
          const step = turn % MIXED_CYCLE
          if (step === 0) id = nextId++
          if (step === 0) return create(id)
          if (step === 1) return create(id, is(400))
          if (step === 2) return remove(id, is(204))
          if (step === 3) return remove(id, is(404))
          return LIST
        }
      }
  }
}

answerParent({
  async run({ work }: { work: Work }): Promise<LoadResult> {
    const nextOf = script(work)
    const cycle = work.kind === 'mixed' ? MIXED_CYCLE : 1
    let started = 0
    let unexpected = 0
    const sockets = await Promise.all(
      Array.from({ length: work.connections }, (_, i) => open(work.ports[i % work.ports.length]!)),
    )
    const cpu = process.cpuUsage()
    const begin = performance.now()
    await Promise.all(
      sockets.map(async (socket) => {
        const next = nextOf()
        await converse(
          socket,
          (turn) => {
            if (started >= work.count && turn % cycle === 0) return undefined
            started++
            return next(turn)
          },
          () => {
            unexpected++
          },
        )
      }),
    )
    const seconds = (performance.now() - begin) / 1000
    const { user, system } = process.cpuUsage(cpu)
    for (const socket of sockets) socket.destroy()
    return { requests: started, seconds, utilization: (user + system) / 1e6 / seconds, unexpected }
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
  next: (turn: number) => Exchange | undefined,
  onUnexpected: () => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let turn = 0
    let received = ''
    let exchange = next(turn++)
    if (!exchange) return resolve()

    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
      if (!isComplete(received)) return
      if (!exchange!.expects(Number(received.slice(9, 12)))) onUnexpected()
      received = ''
      exchange = next(turn++)
      if (exchange) socket.write(exchange.request, 'latin1')
      else resolve()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('The server closed the connection')))
    socket.write(exchange.request, 'latin1')
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
