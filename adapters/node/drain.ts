import type { Server, ServerResponse } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Drain } from '../shared/graceful-close.ts'

/** For how long a connection must be quiet before it is closed. Until then, a proxy may be sending on it. */
const QUIET_MS = 250
const SWEEP_MS = 20
/** For how long no connection must have been made before the server stops accepting them. */
const CALM_MS = 5
/** A turn of the event loop that takes longer did more than poll. */
const SHORT_TURN_MS = 0.3

interface Connection {
  /** The response to the latest request, until it has been sent. Those before it are sent first. */
  response?: ServerResponse | undefined
  /** How much had been read when it became quiet. */
  bytesRead: number
  quietSince: number
}

/** Tracks the connections of a server, so that it can stop without a client noticing. */
export function createDrain(server: Server | TlsServer): Drain {
  const connections = new Map<Socket, Connection>()
  let isDraining = false

  function track(socket: Socket): Connection {
    const connection = { bytesRead: 0, quietSince: performance.now() }
    connections.set(socket, connection)
    socket.once('close', () => connections.delete(socket))
    return connection
  }

  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', track)
  server.prependListener('request', ({ socket }, response) => {
    const connection = connections.get(socket) ?? track(socket)
    if (isDraining) announceClose(response, connection.response)
    connection.response = response
    response.once('close', () => {
      if (connection.response !== response) return
      connection.response = undefined
      connection.bytesRead = socket.bytesRead
      connection.quietSince = performance.now()
    })
  })

  async function stop(isUrgent: boolean): Promise<void> {
    if (!isUrgent) await acceptBacklog(server, connections)
    // close() would close idle connections at once (nodejs/node#60617).
    server.closeIdleConnections = () => {}
    const closed = new Promise((resolve) => server.close(resolve))
    Reflect.deleteProperty(server, 'closeIdleConnections')

    isDraining = true
    let usedAt = 0
    for (const [socket, { response, quietSince }] of connections) {
      usedAt = Math.max(usedAt, response ? performance.now() : quietSince)
      if (response) announceClose(response)
      socket.resume()
    }
    // While one connection is in use, a proxy may take any other next.
    for (const connection of connections.values()) connection.quietSince = usedAt
    const quietMs = isUrgent ? 0 : QUIET_MS
    closeQuiet(quietMs)
    const sweep = setInterval(closeQuiet, SWEEP_MS, quietMs)
    await closed
    clearInterval(sweep)
  }

  function closeQuiet(quietMs: number): void {
    const now = performance.now()
    for (const [socket, connection] of connections) {
      if (connection.response || socket.bytesRead !== connection.bytesRead) {
        connection.bytesRead = socket.bytesRead
        connection.quietSince = now
      } else if (now - connection.quietSince >= quietMs) {
        socket.destroy()
      }
    }
  }

  function abort(): void {
    for (const socket of connections.keys()) socket.destroy()
  }

  return { stop, abort }
}

/** Says in a response that the connection is closed after it (RFC 9112, section 9.6), and not after the one before. */
function announceClose(response: ServerResponse, before?: ServerResponse): void {
  if (before && !before.headersSent) before.removeHeader('connection')
  if (!response.headersSent) response.setHeader('connection', 'close')
}

/**
 * Accepts connections until no more are waiting, since the kernel resets those when the server is closed. No requests
 * are read meanwhile: clients that wait for a response make no new connections, and the event loop is free to accept.
 */
async function acceptBacklog(
  server: Server | TlsServer,
  connections: Map<Socket, unknown>,
): Promise<void> {
  const begin = performance.now()
  let acceptedAt = begin
  function onConnection(socket: Socket): void {
    acceptedAt = performance.now()
    socket.pause()
  }
  server.on('connection', onConnection)
  for (const socket of connections.keys()) socket.pause()
  for (let isCalm = false; !isCalm; ) {
    const start = performance.now()
    await new Promise((resolve) => setImmediate(resolve))
    const now = performance.now()
    isCalm = now - acceptedAt > CALM_MS && now - start < SHORT_TURN_MS
    if (now - begin > QUIET_MS) break
  }
  server.off('connection', onConnection)
}
