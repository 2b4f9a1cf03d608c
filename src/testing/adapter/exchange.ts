import { INT64_MIN } from '../../lib/int64.ts'
import { ContractViolation, show } from '../framework.ts'

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

/** A create whose body the test sends itself. */
export function withFields(...fields: Field[]) {
  return { ...CREATE, body: undefined, contentType: 'application/json', fields }
}
export const CHUNKED: Field = ['transfer-encoding', 'chunked']
export function contentLength(value: string | number): Field {
  return ['content-length', `${value}`]
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

// Such ids come first in a list, and no plant of anybody else has them.
const firstId = INT64_MIN + BigInt(Math.floor(Math.random() * 2 ** 50))
let nextId = firstId
/** More than a double rounds by, so that what a proxy rounds stays another plant. */
const STEP = 4099n

/** Returns an id that no other plant has, greater than those before. */
export function freshId(): bigint {
  nextId += STEP
  return nextId
}

/** Finds the ids of the tests in a text: a body, or the name of a plant. */
export function idsOfTests(text: string): bigint[] {
  const numbers = [...text.matchAll(/-\d{19}(?!\d)/g)].map(([digits]) => BigInt(digits))
  return numbers.filter((id) => firstId < id && id <= nextId)
}

/** Puts this id in the place of ID in the path and the body, and its digits in the place of DIGITS. */
export function withId<T extends Pick<TestRequest, 'path' | 'body'>>(request: T, id: bigint): T {
  const { path, body } = request
  const fill = (text: string) => text.replaceAll('ID', `${id}`).replaceAll('DIGITS', `${-id}`)
  return {
    ...request,
    path: fill(path),
    ...(typeof body === 'string' && { body: fill(body) }),
  }
}

/** Returns the header fields of a request, in the order in which they are sent. */
export function fieldsOf(request: TestRequest): Field[] {
  const { token, body, contentType, fields = [], isStreamed } = request
  const type = contentType === undefined && body !== undefined ? 'application/json' : contentType
  const authorization = token === null || token.includes(' ') ? token : `Bearer ${token}`
  return [
    ...(authorization === null ? [] : [['authorization', authorization] as const]),
    ...(type == null ? [] : [['content-type', type] as const]),
    ...(body === undefined || isStreamed ? [] : [contentLength(Buffer.byteLength(body))]),
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

/** Returns the names of the plants in a list. */
export function namesIn(request: TestRequest, answer: Answer): string[] {
  const plants = parseJson(answer.text)
  ensure(Array.isArray(plants), 'The body must be a list', request, answer)
  return plants.map((plant) => `${Object(plant).name}`)
}

/** A failure as values, for those that look for its cause. */
export interface Evidence {
  readonly problem: string
  readonly request: TestRequest
  readonly answer: Answer | undefined
}

/** The problem to report if no response comes. */
export const CLOSED = 'The connection was closed without a response'

/** Fails with what was sent and what came: a response, or text that is not one. */
export function violation(problem: string, request: TestRequest, came?: Answer | string): never {
  const answer = typeof came === 'object' ? came : undefined
  const shown = answer ? describeAnswer(answer) : came ? show(came) : 'nothing'
  const message = `${problem}\nSent: ${describeRequest(request)}\nCame: ${shown}`
  const evidence: Evidence = { problem, request, answer }
  throw Object.assign(new ContractViolation(message), evidence)
}

/** Asserts in the middle of a rule. */
export function ensure(
  isRight: boolean,
  problem: string,
  request: TestRequest,
  answer?: Answer,
): asserts isRight {
  if (!isRight) violation(problem, request, answer)
}

/** Formats a request as it is sent, shortened. */
function describeRequest(request: TestRequest): string {
  const { method, path, body, isStreamed } = request
  const fields = fieldsOf(request).map(([name, value]) => `${name}: ${show(value).slice(1, -1)}`)
  const origin = request.isAbsolute ? 'http://…' : ''
  const lines = [`${method} ${origin}${shorten(path)}`, ...fields]
  if (isStreamed) lines.push('transfer-encoding: chunked, or frames of HTTP/2')
  if (body !== undefined) {
    lines.push('', typeof body === 'string' ? shorten(body) : `${body.length} bytes`)
  }
  return lines.join('\n  ')
}

/** Formats a response, shortened. */
function describeAnswer({ status, headers, text, isComplete }: Answer): string {
  const lines = [`status ${status}`, ...[...headers].map(([name, value]) => `${name}: ${value}`)]
  if (text) lines.push('', shorten(text))
  if (!isComplete) lines.push('(the response breaks off here)')
  if (headers.get('cache-control') !== 'no-store') {
    lines.push('(not as the store sent it: the host has answered itself, or dropped headers)')
  }
  return lines.join('\n  ')
}

const MAX_SHOWN = 300
export function shorten(text: string): string {
  if (text.length <= MAX_SHOWN) return text
  return `${text.slice(0, MAX_SHOWN / 2)} … ${text.slice(-50)} (length ${text.length})`
}
