import { type ErrorName, errors, type Reply } from '../../src/index.ts'
import type { OperationName } from './operation.ts'

/** Creates the reply of an error of the catalogue, as the store would send it. */
export function errorReply(name: ErrorName, operation: OperationName): Reply {
  const { status, error, message } = errors[name]
  return jsonErrorReply(status, { error, message }, headersOf(name, operation))
}

/** Creates the reply to a method that a path doesn't support. */
export function methodNotAllowed(allow: string): Reply & { body: string } {
  const { status, error, message } = errors.method_not_allowed
  return jsonErrorReply(status, { error, message }, { allow })
}

/** Creates a reply with an Error body. */
export function jsonErrorReply(
  status: number,
  body: { error: number; message: string },
  headers: Record<string, string> = {},
): Reply & { body: string } {
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      ...headers,
    },
    body: JSON.stringify(body),
  }
}

function headersOf(name: ErrorName, operation: OperationName): Record<string, string> {
  const scope = operation === 'listPlants' ? 'plants:read' : 'plants:write'
  switch (errors[name].status) {
    case 401:
      return {
        'www-authenticate': `${REALM}${name === 'invalid_token' ? `, error="${name}"` : ''}`,
      }
    case 403:
      return { 'www-authenticate': `${REALM}, error="${name}", scope="${scope}"` }
    case 405:
      return { allow: operation === 'deletePlant' ? 'DELETE, OPTIONS' : 'GET, POST, OPTIONS' }
    case 415:
      return { 'accept-post': 'application/json' }
    case 429:
    case 503:
      return { 'retry-after': '1' }
    default:
      return {}
  }
}

const REALM = 'Bearer realm="plants"'
