import { INT64_MIN } from '../../lib/int64.ts'

/** A version of HTTP, as its requests name it. */
export type HttpVersion = '1.0' | '1.1' | '2'

/** A header field. */
export type Field = readonly [name: string, value: string]

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
  readonly fields?: readonly Field[] | undefined
  /** Whether the body is sent without its length: in chunks, or in frames of HTTP/2. Default: false. */
  readonly isStreamed?: boolean | undefined
  /** Whether the target is a whole URL. Default: false. */
  readonly isAbsolute?: boolean | undefined
}

/** Lists plants. */
export const LIST = { method: 'GET', path: '/plants' }
/** Creates a plant. A host puts an id that nobody has in the place of ID. */
export const CREATE = { method: 'POST', path: '/plants', body: '{"id":ID,"name":"plant ID"}' }
/** Deletes a plant that doesn't exist. */
export const DELETE = { method: 'DELETE', path: '/plants/ID' }

/** A response, and how it ended. */
export interface Answer {
  readonly status: number
  /** By lower-case name. Repeated fields are joined by `, `. */
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  /** Whether a client believes that nothing is missing. */
  readonly isComplete: boolean
  /** The bytes of its longest chunk, if it came in chunks of HTTP/1.1. */
  readonly longestChunk?: number | undefined
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

// Such ids come first in a list, and no plant of anybody else has them.
const firstId = INT64_MIN + BigInt(Math.floor(Math.random() * 2 ** 50))
let ids = 0n

/** Returns an id that no other plant has, greater than those before. */
export function freshId(): bigint {
  return firstId + ids++
}

/** Puts this id in the place of ID in the path and the body, and its digits in the place of DIGITS. */
export function withId<T extends object>(request: T, id: bigint): T {
  const { path, body } = request as Partial<TestRequest>
  const fill = (text: string) => text.replaceAll('ID', `${id}`).replaceAll('DIGITS', `${-id}`)
  return {
    ...request,
    ...(path !== undefined && { path: fill(path) }),
    ...(typeof body === 'string' && { body: fill(body) }),
  }
}

/** Finds the ids of the tests in a text: a body, or the name of a plant. */
export function idsOfTests(text: string): bigint[] {
  const numbers = [...text.matchAll(/-\d{19}(?!\d)/g)].map(([digits]) => BigInt(digits))
  return numbers.filter((id) => firstId <= id && id < firstId + ids)
}

/** Returns the header fields of a request, in the order in which they are sent. */
export function fieldsOf(request: TestRequest): Field[] {
  const { token, body, contentType, fields = [], isStreamed } = request
  const type = contentType === undefined && body !== undefined ? 'application/json' : contentType
  const ofRequest = [
    ['authorization', token === null || token.includes(' ') ? token : `Bearer ${token}`],
    ['content-type', type],
    ['content-length', body === undefined || isStreamed ? null : `${toBytes(body).length}`],
  ] as const
  return [
    ...ofRequest.flatMap(([name, value]) => (value == null ? [] : [[name, value] as const])),
    ...fields,
  ]
}

export const CHUNKED: Field = ['transfer-encoding', 'chunked']

export function contentLength(value: string | number): Field {
  return ['content-length', `${value}`]
}

/** A create whose body the test sends itself. */
export function withFields(...fields: Field[]) {
  return { ...CREATE, body: undefined, contentType: 'application/json', fields }
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
