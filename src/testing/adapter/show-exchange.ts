import { ContractViolation, show } from '../framework.ts'
import { type Answer, fieldsOf, type TestRequest } from './exchange.ts'

const MAX_SHOWN = 300

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
  const shown = typeof came === 'object' ? describeAnswer(came) : came ? show(came) : 'nothing'
  throw Object.assign(
    new ContractViolation(`${problem}\nSent: ${describeRequest(request)}\nCame: ${shown}`),
    { problem, request, answer: typeof came === 'object' ? came : undefined } satisfies Evidence,
  )
}

/** Formats a request as it is sent, shortened. */
function describeRequest(request: TestRequest): string {
  const { method, path, body, isStreamed } = request
  const fields = fieldsOf(request).map(([name, value]) => `${name}: ${show(value).slice(1, -1)}`)
  const origin = request.isAbsolute ? 'http://…' : ''
  const lines = [`${method} ${origin}${shorten(path)}`, ...fields]
  if (isStreamed) lines.push('transfer-encoding: chunked, or frames of HTTP/2')
  if (typeof body === 'string') lines.push('', shorten(body))
  if (body instanceof Uint8Array) lines.push('', `${body.length} bytes`)
  return lines.join('\n  ')
}

/** Formats a response, shortened. */
function describeAnswer({ status, headers, text, isComplete }: Answer): string {
  const fields = [...headers].map(([name, value]) => `${name}: ${value}`)
  const end = isComplete ? [] : ['(the response breaks off here)']
  if (headers.get('cache-control') !== 'no-store') {
    end.push('(not as the store sent it: the host has answered itself, or dropped headers)')
  }
  return [`status ${status}`, ...fields, ...(text ? ['', shorten(text)] : []), ...end].join('\n  ')
}

export function shorten(text: string): string {
  if (text.length <= MAX_SHOWN) return text
  return `${text.slice(0, MAX_SHOWN / 2)} … ${text.slice(-50)} (length ${text.length})`
}
