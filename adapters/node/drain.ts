import type { Server, ServerResponse } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Drain } from '../shared/close.ts'

/** For how long nothing must have arrived before idle connections are closed. Until then, a proxy may use any of them. */
const QUIET_MS = 250
const SWEEP_MS = 20
/** For how long no connection must have been made before the server stops accepting them. */
const CALM_MS = 20
/** The longest turn of the event loop in which hardly a connection can have been made. */
const SHORT_TURN_MS = 0.3

interface Connection {
  /** The response to the latest request, until it has been sent. Those before it are sent first. */
  response?: ServerResponse | undefined
  /** The number of bytes read when it was last looked at. */
  bytesRead: number
}

/** Tracks the connections of a server, so that it can stop without a client noticing. */
export function createDrain(server: Server | TlsServer): Drain {
  const connections = new Map<Socket, Connection>()
  /** When a connection was made, or a response was sent, for the last time. */
  let usedAt = performance.now()
  /** For how long nothing has arrived or been sent. */
  let quietMs = 0
  let acceptedAt = usedAt
  let isReading = true
  let isDraining = false

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

  // Not 'secureConnection', which comes after the handshake.
  server.on('connection', () => {
    acceptedAt = performance.now()
  })
  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', track)
  server.prependListener('request', ({ socket }, response) => {
    const connection = connections.get(socket) ?? track(socket)
    if (isDraining) announceClose(response, connection.response)
    connection.response = response
    response.on('close', () => {
      noteUse()
      if (connection.response !== response) return
      connection.response = undefined
      connection.bytesRead = socket.bytesRead
    })
  })

  async function stop(isUrgent: boolean): Promise<void> {
    if (!isUrgent) await acceptBacklog()
    // close() would close idle connections at once (nodejs/node#60617).
    server.closeIdleConnections = () => {}
    const closed = new Promise((resolve) => server.close(resolve))
    Reflect.deleteProperty(server, 'closeIdleConnections')

    isDraining = true
    for (const [socket, { response }] of connections) {
      if (response) announceClose(response)
      socket.resume()
    }
    quietMs = performance.now() - usedAt
    function closeIdle(): void {
      for (const [socket, connection] of connections) {
        if (socket.bytesRead !== connection.bytesRead) quietMs = 0
        connection.bytesRead = socket.bytesRead
      }
      if (quietMs >= QUIET_MS || isUrgent) {
        for (const [socket, { response }] of connections) if (!response) socket.destroy()
      }
      // Not the time that has passed: a process that was stalled has yet to read what has arrived.
      quietMs += SWEEP_MS
    }
    // In each turn of the event loop, timers come before what has arrived, and setImmediate() after it.
    setImmediate(closeIdle)
    const sweep = setInterval(() => setImmediate(closeIdle), SWEEP_MS)
    await closed
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
      // On a server that always gets new connections or sends long lists, a turn without a connection has to do.
      const isLong = now - begin >= QUIET_MS
      const isAnswered = isLong || ![...connections.values()].some(({ response }) => response)
      isCalm = isAnswered && acceptedAt < (isLong ? start : before) && now - start < SHORT_TURN_MS
      if (now - begin > 2 * QUIET_MS) break
    }
    isReading = true
  }

  function abort(): void {
    // closeAllConnections() leaves those that were upgraded, such as WebSockets.
    for (const socket of connections.keys()) socket.destroy()
  }

  return { stop, abort }
}

/** Says in a response that the connection is closed after it (RFC 9112, section 9.6), and not after the one before. */
function announceClose(response: ServerResponse, before?: ServerResponse): void {
  if (before && !before.headersSent) before.removeHeader('connection')
  if (!response.headersSent) response.setHeader('connection', 'close')
}
