/** The preface of every HTTP/2 connection (RFC 9113, section 3.4). */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** Frame types (RFC 9113, section 6). */
export const TYPE = {
  data: 0,
  headers: 1,
  rstStream: 3,
  settings: 4,
} as const

const END_HEADERS = 0x4

/** Writes a frame (RFC 9113, section 4.1). */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = new Uint8Array(),
): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.byteLength, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A SETTINGS frame without a setting (RFC 9113, section 6.5). */
export function settings(): Buffer {
  return frame(TYPE.settings, 0, 0)
}

/** A text of fewer than 127 bytes, not compressed (RFC 7541, section 5.2). */
function hpackText(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  return Buffer.concat([Buffer.of(bytes.byteLength), bytes])
}

/** The HEADERS frame of a create with the token `t`. Its fields are literals that are not indexed (RFC 7541, section 6.2.2). */
export function createHeaders(stream: number): Buffer {
  const fields = [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':authority', 'garden'],
    [':path', '/plants'],
    ['authorization', 'Bearer t'],
    ['content-type', 'application/json'],
  ] as const
  const literals = fields.flatMap(([name, value]) => [
    Buffer.of(0),
    hpackText(name),
    hpackText(value),
  ])
  return frame(TYPE.headers, END_HEADERS, stream, Buffer.concat(literals))
}
