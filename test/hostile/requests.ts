/** A plant that every attacker creates and deletes. */
export const PLANT = '{"id":7,"name":"Monstera","tag":"indoor"}'
/** With the token `many`, as long a list as the server program has. */
export const MANY_PLANTS = '/plants?limit=300000'

/** The parts of an HTTP/1.1 request; what is left out is valid. */
export interface RequestParts {
  method?: string
  target?: string
  version?: string
  /** A token that the server program knows, or any text. */
  token?: string
  /** Whole header lines, without the end of the line. */
  headers?: readonly string[]
  /** With a body, the request is a create, of `application/json`. */
  body?: Uint8Array | string
}

/** Writes a request with a Content-Length if it has a body. */
export function request({
  body,
  method = body === undefined ? 'GET' : 'POST',
  target = '/plants',
  version = 'HTTP/1.1',
  token = 'now',
  headers = [],
}: RequestParts = {}): Buffer {
  const bytes = Buffer.from(body ?? '')
  const lines = [
    `${method} ${target} ${version}`,
    'Host: garden',
    `Authorization: Bearer ${token}`,
    ...(body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${bytes.byteLength}`]),
    ...headers,
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes])
}

/** Writes a create whose body is chunked into pieces of this many bytes. */
export function chunkedRequest(body: Buffer, pieceBytes: number, token = 'now'): Buffer {
  const lines = [
    'POST /plants HTTP/1.1',
    'Host: garden',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
  ]
  // Adding to one string is the fastest for a million chunks.
  let text = `${lines.join('\r\n')}\r\n\r\n`
  for (let at = 0; at < body.byteLength; at += pieceBytes) {
    const piece = body.toString('latin1', at, at + pieceBytes)
    text += `${piece.length.toString(16)}\r\n${piece}\r\n`
  }
  return Buffer.from(`${text}0\r\n\r\n`, 'latin1')
}

/** Writes the same request this many times, as a client that pipelines does. */
export function repeat(bytes: Uint8Array, count: number): Buffer {
  return Buffer.alloc(bytes.byteLength * count, bytes)
}

/** One valid request of each kind. */
export function validRequests(token: string): Buffer[] {
  return [
    request({ token, target: '/plants?limit=1' }),
    request({ token, body: PLANT }),
    request({ token, method: 'DELETE', target: '/plants/7' }),
    chunkedRequest(Buffer.from(PLANT), 20, token),
  ]
}
