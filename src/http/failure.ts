import { type ErrorName, errors } from '../errors.ts'
import type { Reply } from '../reply.ts'

const RETRY_AFTER_SECONDS = '1'

interface Details {
  /** Says more than the catalogue's message. */
  message?: string
  headers?: Record<string, string>
  /** What really happened: for `onError`, never for the client. */
  cause?: unknown
}

/** A failure of the catalogue on its way to the client: thrown anywhere in the core, answered once. */
export class Failure extends Error {
  readonly status: number
  readonly reply: Reply

  constructor(name: ErrorName, { message, headers, cause }: Details = {}) {
    const definition = errors[name]
    super(message ?? definition.message, { cause })
    this.name = name
    this.status = definition.status
    this.reply = {
      status: definition.status,
      headers: {
        'content-type': 'application/json',
        ...(definition.status === 503 && { 'retry-after': RETRY_AFTER_SECONDS }),
        ...headers,
      },
      body: JSON.stringify({ error: definition.error, message: this.message }),
    }
  }
}
