import { type ErrorName, errors } from '../errors.ts'
import { jsonReply, type Reply } from '../reply.ts'

interface FailureOptions {
  /** More specific than the catalogue's message. */
  message?: string
  headers?: Record<string, string>
  /** The underlying error: for `onError`, never for the client. */
  cause?: unknown
}

/** An error of the catalogue. Thrown anywhere in the core, and turned into a reply in `answer.ts`. */
export class Failure extends Error {
  override readonly name: ErrorName
  readonly status: number
  readonly reply: Reply

  constructor(name: ErrorName, { message, headers, cause }: FailureOptions = {}) {
    const { error, status, message: defaultMessage } = errors[name]
    super(message ?? defaultMessage, { cause })
    this.name = name
    this.status = status
    this.reply = jsonReply(JSON.stringify({ error, message: this.message }), {
      status,
      headers: { ...(status === 503 && { 'retry-after': '1' }), ...headers },
    })
  }
}

/** `instanceof` for whatever was thrown: on a revoked Proxy, the operator itself throws. */
export function isInstance<T>(value: unknown, type: new (...parameters: any[]) => T): value is T {
  try {
    return value instanceof type
  } catch {
    return false
  }
}
