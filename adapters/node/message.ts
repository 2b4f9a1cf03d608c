import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { TLSSocket } from 'node:tls'

/** A request of a node:http, node:https or node:http2 server. */
export type NodeRequest = IncomingMessage | Http2ServerRequest

/** The response to it. */
export type NodeResponse = ServerResponse | Http2ServerResponse

/** Whether the client has disconnected. */
export function isGone(message: NodeRequest, response: NodeResponse): boolean {
  if ('stream' in response) return response.stream.destroyed
  // An injected request, as of light-my-request, has no true socket.
  return response.destroyed || message.socket?.writable === false
}

/** Whether the request came over TLS. */
export function isEncrypted({ socket }: NodeRequest): boolean {
  return (socket as TLSSocket | undefined)?.encrypted === true
}
