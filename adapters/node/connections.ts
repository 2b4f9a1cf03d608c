import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { refuse } from './refusal.ts'

/** How often a server that is closing looks for connections that have become idle. */
const SWEEP_MS = 20

/** What `server.close()` lacks to be graceful. */
export interface Connections {
  /** Tells that a request has come; the function it gives tells that its answer is handed over. */
  begin(response: ServerResponse): () => void
  /**
   * Stops accepting and lets what is under way finish, for at most `graceMs`.
   *
   * @returns whether everything was finished
   */
  close(graceMs: number): Promise<boolean>
}

/** Keeps an eye on the connections of a server, and refuses on them what is no HTTP. */
export function trackConnections(server: Server): Connections {
  /** Each connection's latest response. */
  const latest = new Map<Socket, ServerResponse | undefined>()
  let underWay = 0
  let closing = false

  server.on('connection', (socket) => {
    latest.set(socket, undefined)
    socket.once('close', () => latest.delete(socket))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuse(socket as Socket, latest.get(socket as Socket), error.code)
  })
  // CONNECT is for proxies; Node would hang up without a word.
  server.on('connect', ({ socket }) => refuse(socket, latest.get(socket)))

  function begin(response: ServerResponse): () => void {
    underWay++
    latest.set(response.req.socket, response)
    if (closing) response.shouldKeepAlive = false
    return () => {
      underWay--
    }
  }

  function sweep(): void {
    const sockets = [...latest.keys()]
    // Browsers open connections before they need them, and Node holds those for busy.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    // Node holds a connection for idle whose answer is written, though its client still reads it.
    if (sockets.every((socket) => socket.writableLength === 0)) closeIdleConnections()
  }
  const closeIdleConnections = server.closeIdleConnections.bind(server)
  // This is what server.close() begins with.
  server.closeIdleConnections = sweep

  async function close(graceMs: number): Promise<boolean> {
    closing = true
    for (const response of latest.values()) {
      if (response && !response.headersSent) response.shouldKeepAlive = false
    }
    let stopped = false
    server.close(() => {
      stopped = true
    })
    const end = Date.now() + graceMs
    const isFinished = () => stopped && underWay === 0
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        sweep()
        if (!isFinished() && Date.now() < end) return
        clearInterval(timer)
        resolve()
      }, SWEEP_MS)
    })
    const finished = isFinished()
    for (const socket of latest.keys()) socket.destroy()
    return finished
  }

  return { begin, close }
}
