import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Time for the client to read the refusal before its connection may be reset. */
const LINGER_MS = 1000

const STATUS_LINES: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Content Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

const refused = new WeakSet<Socket>()

/**
 * Answers what is no HTTP, comes too slowly or has too large a head, and closes the connection. Node
 * does so too, but in place of the answer to an earlier request, and with a reset behind it.
 *
 * @param latest the response to the last good request on this connection
 * @param code what Node says is wrong
 */
export function refuse(socket: Socket, latest: ServerResponse | undefined, code?: string): void {
  if (refused.has(socket)) return
  refused.add(socket)
  if (!socket.writable || code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  if (latest !== undefined && !latest.writableFinished) refuseAfter(latest, socket, code)
  else sendRefusal(socket, code)
}

/** The answers to earlier requests go first. */
function refuseAfter(latest: ServerResponse, socket: Socket, code?: string): void {
  if (latest.req.complete) latest.once('close', () => sendRefusal(socket, code))
  else if (latest.socket === null) latest.once('socket', () => refuseAfter(latest, socket, code))
  // The bad body's request has been answered already.
  else if (latest.headersSent) socket.destroySoon()
  else sendRefusal(socket, code)
}

function sendRefusal(socket: Socket, code = ''): void {
  if (!socket.writable) return
  const statusLine = STATUS_LINES[code] ?? '400 Bad Request'
  socket.end(`HTTP/1.1 ${statusLine}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}
