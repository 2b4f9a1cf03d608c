import { type ErrorName, errors } from '../errors.ts'
import type { Header, Reference, Response, SharedFailures } from './document.ts'

/** Refers to one of the components: `ref('schemas/Plant')`. */
export function ref(component: string): Reference {
  return { $ref: `#/components/${component}` }
}

/** The failures that every operation shares, by their names in the document. */
export function sharedFailures(): SharedFailures {
  return {
    Unauthorized: failure('missing_token', 'invalid_token'),
    Forbidden: failure('insufficient_scope'),
    TooManyRequests: failure('rate_limited'),
    InternalServerError: failure('internal'),
    ServiceUnavailable: failure('storage_unavailable', 'auth_unavailable', 'timeout', 'overloaded'),
  }
}

/** All failures of an operation, by status: its own, and those that every operation shares. */
export function failures(...names: ErrorName[]): Record<string, Response | Reference> {
  const byStatus = Object.groupBy(names, (name) => errors[name].status)
  return {
    ...Object.fromEntries(
      Object.entries(byStatus).map(([status, group]) => [status, failure(...group)]),
    ),
    401: ref('responses/Unauthorized'),
    403: ref('responses/Forbidden'),
    429: ref('responses/TooManyRequests'),
    500: ref('responses/InternalServerError'),
    503: ref('responses/ServiceUnavailable'),
  }
}

/** The response for failures of one status. Its examples are all the error values that it can have. */
function failure(...names: ErrorName[]): Response {
  const { status } = errors[names[0]!]
  return {
    description: names.map((name) => `${errors[name].error} ${name}`).join(', '),
    ...(status in HEADERS && { headers: HEADERS[status]!() }),
    content: {
      'application/json': {
        schema: ref('schemas/Error'),
        examples: Object.fromEntries(names.map((name) => [name, { value: body(name) }])),
      },
    },
  }
}

function body(name: ErrorName) {
  const { error, message } = errors[name]
  return { error, message }
}

const HEADERS: Record<number, () => Record<string, Header>> = {
  401: () => ({
    'WWW-Authenticate': challengeHeader('Bearer realm="plants", error="invalid_token"'),
  }),
  403: () => ({
    'WWW-Authenticate': challengeHeader(
      'Bearer realm="plants", error="insufficient_scope", scope="plants:write"',
    ),
  }),
  415: () => ({
    'Accept-Post': {
      description: 'The media type that the server accepts (RFC 9110, section 15.5.16).',
      required: true,
      schema: { type: 'string', enum: ['application/json'] },
    },
  }),
  429: () => ({ 'Retry-After': retryAfterHeader() }),
  503: () => ({ 'Retry-After': retryAfterHeader() }),
}

function challengeHeader(example: string): Header {
  return {
    description: 'Why the token was refused (RFC 6750, section 3).',
    required: true,
    schema: { type: 'string' },
    example,
  }
}

function retryAfterHeader(): Header {
  return {
    description: 'Seconds to wait before retrying (RFC 9110, section 10.2.3).',
    required: true,
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  }
}
