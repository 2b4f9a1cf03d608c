import { toChunk } from '../../src/testing/adapter/http1.ts'

/** A plant that every attacker creates and deletes. */
const PLANT = '{"id":7,"name":"Monstera","tag":"indoor"}'

/** The parts of a request; what is left out is valid. */
export interface RequestParts {
  method?: string
  target?: string
  /** A token that the server program knows, or any text. */
  token?: string
  /** Further header lines of HTTP/1.1, without the end of the line. */
  headers?: readonly string[]
  /** With a body, the request is a create, of `application/json`. */
  body?: Uint8Array | string
  /** Sends the body in pieces of this many bytes, without saying how long it is. */
  pieceBytes?: number
}

/** Writes a request of HTTP/1.1. */
export function request({
  body,
  method = body === undefined ? 'GET' : 'POST',
  target = '/plants',
  token = 'now',
  headers = [],
  pieceBytes,
}: RequestParts = {}): Buffer {
  const bytes = Buffer.from(body ?? '')
  const framing = pieceBytes ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes.byteLength}`
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: garden',
    `Authorization: Bearer ${token}`,
    ...(body === undefined ? [] : ['Content-Type: application/json', framing]),
    ...headers,
  ]
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return Buffer.concat([head, pieceBytes ? inChunks(bytes, pieceBytes) : bytes])
}

function inChunks(body: Buffer, pieceBytes: number): Buffer {
  // Adding to one string is the fastest for a million chunks.
  let text = ''
  for (let at = 0; at < body.byteLength; at += pieceBytes) {
    text += toChunk(body.toString('latin1', at, at + pieceBytes))
  }
  return Buffer.from(text + toChunk(''), 'latin1')
}

/** Writes the same request this many times, as a client that pipelines does. */
export function repeat(bytes: Uint8Array, count: number): Buffer {
  return Buffer.alloc(bytes.byteLength * count, bytes)
}

/** One valid request of each kind. */
export function validRequests(token: string): RequestParts[] {
  return [
    { token, target: '/plants?limit=1' },
    { token, body: PLANT },
    { token, method: 'DELETE', target: '/plants/7' },
    { token, body: PLANT, pieceBytes: 20 },
  ]
}
