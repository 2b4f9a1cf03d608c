import { type ErrorName, errors } from '../errors.ts'

/** Refers to one of the components: `ref('schemas/Plant')`. */
export function ref(component: string) {
  return { $ref: `#/components/${component}` }
}

/** The failures that every operation shares, by the names that the document gives them. */
export function sharedFailures() {
  return {
    Unauthorized: failure('missing_token', 'invalid_token'),
    Forbidden: failure('insufficient_scope'),
    InternalServerError: failure('internal'),
    ServiceUnavailable: failure('storage_unavailable', 'auth_unavailable', 'timeout'),
  }
}

/** All failures of an operation, by status: those named, and those that every operation shares. */
export function failures(...names: ErrorName[]) {
  const byStatus = Object.groupBy(names, (name) => errors[name].status)
  return {
    ...Object.fromEntries(
      Object.entries(byStatus).map(([status, group]) => [status, failure(...group)]),
    ),
    401: ref('responses/Unauthorized'),
    403: ref('responses/Forbidden'),
    500: ref('responses/InternalServerError'),
    503: ref('responses/ServiceUnavailable'),
  }
}

/** The answer to failures of one status. Its examples are all error values that it can have. */
function failure(...names: ErrorName[]) {
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

type Header = {
  description: string
  required: boolean
  schema: { type: 'string' | 'integer'; const?: string; minimum?: number }
  example?: string | number
}

const HEADERS: Record<number, () => Record<string, Header>> = {
  401: () => ({ 'WWW-Authenticate': challenge('Bearer realm="plants", error="invalid_token"') }),
  403: () => ({
    'WWW-Authenticate': challenge(
      'Bearer realm="plants", error="insufficient_scope", scope="plants:write"',
    ),
  }),
  415: () => ({
    'Accept-Post': {
      description: 'The media type that would have been accepted (RFC 9110, section 15.5.16).',
      required: true,
      schema: { type: 'string', const: 'application/json' },
    },
  }),
  503: () => ({
    'Retry-After': {
      description: 'After how many seconds to try again.',
      required: true,
      schema: { type: 'integer', minimum: 0 },
      example: 1,
    },
  }),
}

function challenge(example: string): Header {
  return {
    description: 'What is wrong with the token (RFC 6750, section 3).',
    required: true,
    schema: { type: 'string' },
    example,
  }
}
