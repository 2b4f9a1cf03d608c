/** The preface of every HTTP/2 connection (RFC 9113, section 3.4). */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** Frame types (RFC 9113, section 6). */
export const TYPE = {
  data: 0,
  headers: 1,
  rstStream: 3,
  settings: 4,
} as const

export const END_STREAM = 0x1
export const END_HEADERS = 0x4

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

/** A SETTINGS frame with one setting (RFC 9113, section 6.5), or with none. */
export function settings(identifier?: number, value = 0): Buffer {
  const payload = Buffer.alloc(identifier === undefined ? 0 : 6)
  if (identifier !== undefined) {
    payload.writeUInt16BE(identifier, 0)
    payload.writeUInt32BE(value, 2)
  }
  return frame(TYPE.settings, 0, 0, payload)
}

/** Writes fields as literals that are not indexed and not compressed (RFC 7541, section 6.2.2). */
function headerBlock(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [ZERO, hpackText(name), hpackText(value)]))
}

const ZERO = Buffer.of(0)

function hpackText(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  return Buffer.concat([hpackLength(bytes.byteLength), bytes])
}

/** An integer with a prefix of 7 bits (RFC 7541, section 5.1). */
function hpackLength(length: number): Buffer {
  if (length < 127) return Buffer.of(length)
  const bytes = [127]
  let rest = length - 127
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return Buffer.from([...bytes, rest])
}

/** The HEADERS frame of a request to the store. */
export function requestHeaders(
  stream: number,
  {
    method = 'GET',
    path = '/plants?limit=1',
    token = 'now',
    flags = END_STREAM | END_HEADERS,
  } = {},
): Buffer {
  const fields = [
    [':method', method],
    [':scheme', 'http'],
    [':authority', 'garden'],
    [':path', path],
    ['authorization', `Bearer ${token}`],
    ['content-type', 'application/json'],
  ] as const
  return frame(TYPE.headers, flags, stream, headerBlock(fields))
}
