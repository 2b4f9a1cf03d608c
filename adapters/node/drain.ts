import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type {
  Http2SecureServer,
  Http2Server,
  Http2ServerRequest,
  ServerHttp2Session,
} from 'node:http2'
import type { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Drain } from '../serve.ts'

/** For how long no request must have begun before idle connections are closed. Until then, a proxy may use any of them. */
const QUIET_MS = 250
/** How long the head of a request may take then, from its first byte. */
const MAX_HEAD_MS = 1000
const SWEEP_MS = 20
/** For how long no connection must have been made before the server stops accepting them. */
const CALM_MS = 20
/** The longest turn of the event loop in which hardly a connection can have been made. */
const SHORT_TURN_MS = 0.3

interface Connection {
  /** The response to the latest request, until it has been sent. Those before it are sent first. */
  response?: ServerResponse | undefined
  /** The number of bytes read at its latest response. */
  bytesRead: number
  /** When the first byte of the next request was seen. */
  begunAt?: number | undefined
}

/** A server of `node:http`, `node:https` or `node:http2`. */
export type NodeServer = Server | TlsServer | Http2Server | Http2SecureServer

/** Tracks the connections of a server, so that it can stop without a client noticing. */
export function createDrain(nodeServer: NodeServer): Drain {
  // All of them have these events and methods, apart from those of sessions.
  const server = nodeServer as Server
  const isTls = 'setSecureContext' in nodeServer
  const connections = new Map<Socket, Connection>()
  const sessions = new Set<ServerHttp2Session>()
  /** Connections of HTTP/2. */
  const carriers = new Set<Socket>()
  /** Connections whose TLS handshake has not ended. */
  const handshakes = new Set<Socket>()
  /** Connections that belong to the app since it got `upgrade` or `connect`, for example WebSockets. */
  const upgraded = new Set<Socket>()
  const open = [connections, carriers, handshakes, upgraded]
  /** When a connection was made, or a response was sent, for the last time. */
  let usedAt = performance.now()
  /** For how long nothing has arrived or been sent. */
  let quietMs = 0
  let acceptedAt = usedAt
  let isReading = true
  let isDraining = false
  let isAborted = false

  function noteUse(): void {
    usedAt = performance.now()
    quietMs = 0
  }

  function track(socket: Socket): Connection {
    const connection = { bytesRead: 0 }
    connections.set(socket, connection)
    socket.once('close', () => connections.delete(socket))
    noteUse()
    // Node begins to read it in the next tick, even if it was paused before.
    if (!isReading) process.nextTick(() => socket.pause())
    return connection
  }

  function trackByProtocol(socket: Socket, isHttp2: boolean): void {
    if (!isHttp2) return void track(socket)
    carriers.add(socket)
    socket.once('close', () => carriers.delete(socket))
  }

  server.on('connection', (socket: Socket) => {
    acceptedAt = performance.now()
    if (!isTls) return trackByProtocol(socket, 'updateSettings' in nodeServer)
    noteUse()
    handshakes.add(socket)
    socket.once('close', () => handshakes.delete(socket))
  })
  server.on('secureConnection', (socket: TLSSocket & { _parent?: Socket }) => {
    // Node doesn't document the connection below. On a Unix socket, nothing else tells which one it is.
    handshakes.delete(socket._parent ?? socket)
    trackByProtocol(socket, socket.alpnProtocol === 'h2')
  })
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    if (isDraining) session.close()
  })
  for (const event of ['upgrade', 'connect'] as const) besideListeners(server, event, handOver)

  function handOver(_request: unknown, socket: Socket): void {
    connections.delete(socket)
    upgraded.add(socket)
    socket.once('close', () => upgraded.delete(socket))
  }

  besideListeners(server, 'request', noteRequest)

  function noteRequest(
    request: IncomingMessage | Http2ServerRequest,
    response: ServerResponse,
  ): void {
    if ('stream' in request) return
    const { socket } = request
    const connection = connections.get(socket) ?? track(socket)
    if (isDraining) announceClose(response, connection.response)
    connection.response = response
    connection.begunAt = undefined
    response.on('close', () => {
      noteUse()
      if (connection.response !== response) return
      connection.response = undefined
      connection.bytesRead = socket.bytesRead
    })
  }

  async function stop(isUrgent: boolean): Promise<void> {
    if (!isUrgent) await acceptBacklog()
    // close() would close idle connections at once (nodejs/node#60617).
    server.closeIdleConnections = () => {}
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    Reflect.deleteProperty(server, 'closeIdleConnections')

    isDraining = true
    // Node 22 leaves them open.
    for (const session of sessions) session.close()
    for (const [socket, { response }] of connections) {
      if (response) announceClose(response)
      socket.resume()
    }
    quietMs = performance.now() - usedAt
    function closeIdle(): void {
      const now = performance.now()
      for (const [socket, connection] of connections) {
        if (connection.response || socket.bytesRead === connection.bytesRead) continue
        if (connection.begunAt === undefined) quietMs = 0
        connection.begunAt ??= now
      }
      if (quietMs >= QUIET_MS || isUrgent) {
        for (const [socket, { response, begunAt = Number.NEGATIVE_INFINITY }] of connections) {
          if (!response && (isUrgent || now - begunAt > MAX_HEAD_MS)) socket.destroy()
        }
        for (const socket of handshakes) socket.destroy()
        // Its session has ended, and the client doesn't end its side.
        for (const socket of carriers) if (socket.writableFinished) socket.destroy()
      }
      // Not the time that has passed: a process that was stalled has yet to read what has arrived.
      quietMs += SWEEP_MS
    }
    // In each turn of the event loop, timers come before what has arrived, and setImmediate() after it.
    setImmediate(closeIdle)
    const sweep = setInterval(() => setImmediate(closeIdle), SWEEP_MS)
    await closed
    // Node waits for no connections that the app has passed to the server by emitting `connection`.
    while (!isAborted && open.some(({ size }) => size > 0)) {
      await new Promise((resolve) => setTimeout(resolve, SWEEP_MS))
    }
    clearInterval(sweep)
  }

  /**
   * Accepts connections until no more are waiting, since the kernel resets those when the server is closed. No requests
   * are read meanwhile. So once those that were read before have been answered, all clients wait for a response, and make
   * no new connections.
   */
  async function acceptBacklog(): Promise<void> {
    const begin = performance.now()
    isReading = false
    for (let isCalm = false; !isCalm; ) {
      // Node resumes a socket when a request has been read to its end.
      for (const socket of connections.keys()) socket.pause()
      const before = performance.now()
      // After a sleep, the process is hardly interrupted between the last accept and the end of the listening socket.
      await new Promise((resolve) => setTimeout(resolve, CALM_MS))
      const start = performance.now()
      await new Promise((resolve) => setImmediate(resolve))
      const now = performance.now()
      // On a server that always gets new connections or sends long lists, a turn without a connection must be enough.
      const isLong = now - begin >= QUIET_MS
      const isAnswered = isLong || ![...connections.values()].some(({ response }) => response)
      isCalm = isAnswered && acceptedAt < (isLong ? start : before) && now - start < SHORT_TURN_MS
      if (now - begin > 2 * QUIET_MS) break
    }
    isReading = true
  }

  function abort(): void {
    isAborted = true
    for (const sockets of open) for (const socket of sockets.keys()) socket.destroy()
  }

  return { stop, abort }
}

/**
 * Keeps a listener in front of those of the app, for as long as it has some, and when it replaces them, as engine.io does.
 * With our listener alone, Node would leave an upgrade to it.
 */
function besideListeners(
  server: Server,
  event: 'request' | 'upgrade' | 'connect',
  listener: (...args: any[]) => void,
): void {
  const isOurs = () => server.listeners(event).includes(listener)
  if (server.listenerCount(event) > 0) server.prependListener(event, listener)
  server.on('newListener', (name, added) => {
    if (name === event && added !== listener && !isOurs()) server.prependListener(event, listener)
  })
  server.on('removeListener', (name) => {
    if (name === event && isOurs() && server.listenerCount(event) === 1) server.off(event, listener)
  })
}

/** Says in a response that the connection is closed after it (RFC 9112, section 9.6), and not after the one before. */
function announceClose(response: ServerResponse, before?: ServerResponse): void {
  if (before && !before.headersSent) before.removeHeader('connection')
  if (!response.headersSent) response.setHeader('connection', 'close')
}
