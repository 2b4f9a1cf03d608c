/** A version of HTTP, as its requests name it. */
export type HttpVersion = '1.0' | '1.1' | '2'

/** A request of the tests. */
export interface TestRequest {
  readonly method: string
  /** As it is sent: nothing is normalized. The mount path comes in front of it. */
  readonly path: string
  /** The bearer token, or the whole Authorization value if it has a space; null for none. */
  readonly token: string | null
  /** Sent as it is. */
  readonly body?: string | Uint8Array | undefined
  /** Default: `application/json` if there is a body. */
  readonly contentType?: string | null | undefined
  /** Further fields, in this order. A name may be repeated. */
  readonly fields?: readonly (readonly [name: string, value: string])[] | undefined
  /** Whether the body is sent without its length: in chunks, or in frames of HTTP/2. Default: false. */
  readonly isStreamed?: boolean | undefined
  /** Whether the target is a whole URL. Default: false. */
  readonly isAbsolute?: boolean | undefined
}

/** A response, and how it ended. */
export interface Answer {
  readonly status: number
  /** By lower-case name. Repeated fields are joined by `, `. */
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  /** Whether a client believes that nothing is missing. */
  readonly isComplete: boolean
}

/** Bytes as text, one character per byte. */
export type Latin1 = string

let owners = 0
const run = Math.random().toString(36).slice(2)

/** Returns the name of an owner whom no other test uses, in this run or another. */
export function freshOwner(kind = 'plain'): string {
  return `${kind}-${run}.${++owners}`
}

/** Returns the token of an owner whom no other test uses. */
export function freshToken(): string {
  return `owner-${freshOwner()}`
}

/** Returns the header fields of a request, in the order in which they are sent. */
export function fieldsOf(request: TestRequest): (readonly [name: string, value: string])[] {
  const { token, body, contentType, fields = [] } = request
  const type = contentType === undefined && body !== undefined ? 'application/json' : contentType
  const length = body === undefined || request.isStreamed ? undefined : toBytes(body).length
  return [
    ...(token === null
      ? []
      : [['authorization', token.includes(' ') ? token : `Bearer ${token}`] as const]),
    ...(type == null ? [] : [['content-type', type] as const]),
    ...(length === undefined ? [] : [['content-length', `${length}`] as const]),
    ...fields,
  ]
}

/** Parses JSON; `undefined` for what is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function toBytes(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? new TextEncoder().encode(body) : body
}

export function fromLatin1(text: Latin1): Uint8Array {
  // Uint8Array.from with a function takes ten times as long.
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}
