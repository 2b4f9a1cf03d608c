import type { IncomingRequest } from '../incoming-request.ts'

/** Ends the work for a client that has disconnected. It is nobody's fault, so `onError` isn't called. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'
}

/** Throws a ClientGoneError when the client has disconnected. */
export function assertConnected(request: IncomingRequest): void {
  if (request.isAborted?.()) throw new ClientGoneError('The client has disconnected')
}
