import {
  END_HEADERS,
  END_STREAM,
  frame,
  PREFACE,
  requestHeaders,
  settings,
  TYPE,
} from './http2-frames.ts'
import { type RequestParts, request } from './requests.ts'

/** How the clients of a host write what they send. */
export interface Protocol {
  /** What a connection begins with. */
  readonly begin: Uint8Array
  /** Writes a request, the `index`th of its connection. */
  write(parts: RequestParts, index?: number): Buffer
  /** Takes the `index`th request of the connection back; HTTP/1.1 can only close the connection. */
  cancel(index: number): Uint8Array
}

export const http1: Protocol = {
  begin: Buffer.of(),
  write: request,
  cancel: () => Buffer.of(),
}

// RFC 9113, section 7.
const CANCEL = Buffer.of(0, 0, 0, 8)
// RFC 9113, section 6.5.2: what a server accepts that has not said otherwise.
const MAX_FRAME_BYTES = 16_384

export const http2: Protocol = {
  begin: Buffer.concat([PREFACE, settings()]),
  write({ body, method, target: path, token, pieceBytes = MAX_FRAME_BYTES }, index = 0) {
    if (body === undefined) return requestHeaders(streamOf(index), { method, path, token })
    const head = { method: 'POST', path: '/plants', token, flags: END_HEADERS }
    const frames = [requestHeaders(streamOf(index), head)]
    const bytes = Buffer.from(body)
    for (let at = 0; at < bytes.byteLength; at += pieceBytes) {
      frames.push(frame(TYPE.data, 0, streamOf(index), bytes.subarray(at, at + pieceBytes)))
    }
    return Buffer.concat([...frames, frame(TYPE.data, END_STREAM, streamOf(index))])
  },
  cancel: (index) => frame(TYPE.rstStream, 0, streamOf(index), CANCEL),
}

function streamOf(index: number): number {
  return 2 * index + 1
}
