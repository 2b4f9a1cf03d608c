import type { IncomingRequest } from '../incoming-request.ts'

/** Ends the work for a client that has disconnected. It is nobody's fault, so `onError` isn't called. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'
}

/** To be called before a wait: Deno's signal misses a disconnect that comes before the signal was first read. */
export function watchConnection(request: IncomingRequest): void {
  request.isAborted?.()
}

/** Throws a ClientGoneError when the client has disconnected. */
export function assertConnected(request: IncomingRequest): void {
  if (request.isAborted?.()) throw new ClientGoneError('The client has disconnected')
}
