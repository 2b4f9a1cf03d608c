import type { ErrorName, errors } from '../errors.ts'

/**
 * The names of the catalogue by number, without its messages. The compiler checks this table against the
 * catalogue.
 */
export const ERROR_NAMES: Record<number, ErrorName> = {
  40001: 'malformed_json',
  40002: 'invalid_plant',
  40003: 'duplicate_id',
  40004: 'invalid_limit',
  40005: 'invalid_cursor',
  40006: 'invalid_id',
  40101: 'missing_token',
  40102: 'invalid_token',
  40301: 'insufficient_scope',
  40401: 'plant_not_found',
  40402: 'route_not_found',
  40501: 'method_not_allowed',
  41301: 'body_too_large',
  41501: 'unsupported_media_type',
  42901: 'rate_limited',
  50001: 'internal',
  50301: 'storage_unavailable',
  50302: 'auth_unavailable',
  50303: 'timeout',
  50304: 'overloaded',
} satisfies { [Name in ErrorName as (typeof errors)[Name]['error']]: Name }
