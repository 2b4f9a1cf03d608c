/** One row of the catalogue: the `error` value and `message` of the body, and the status with it. */
export interface ErrorDefinition {
  readonly error: number
  readonly status: number
  readonly message: string
}

/**
 * Every failure there is, by name. A client switches on `error`; `message` is for people, and where
 * more is known than the catalogue's sentence, it says more.
 *
 * @example
 * ```ts
 * const body = await response.json()
 * if (body.error === errors.duplicate_id.error) console.log('Pick another id')
 * ```
 */
export const errors = {
  malformed_json: { error: 40001, status: 400, message: 'The body is not JSON in UTF-8.' },
  invalid_plant: { error: 40002, status: 400, message: 'The body is not a NewPlant.' },
  duplicate_id: { error: 40003, status: 400, message: 'There is a plant with this id already.' },
  invalid_limit: {
    error: 40004,
    status: 400,
    message: 'limit must be given once, as a whole number from 0 to 2147483647.',
  },
  invalid_cursor: {
    error: 40005,
    status: 400,
    message: 'cursor must be given once, as the Link header of an earlier answer gave it.',
  },
  invalid_id: {
    error: 40006,
    status: 400,
    message:
      'The id in the path must be a whole number from -9223372036854775808 to 9223372036854775807, without leading zeros.',
  },
  missing_token: {
    error: 40101,
    status: 401,
    message: 'Send the header Authorization: Bearer <token>.',
  },
  invalid_token: { error: 40102, status: 401, message: 'The token is not valid.' },
  insufficient_scope: { error: 40301, status: 403, message: 'The token does not allow this.' },
  plant_not_found: { error: 40401, status: 404, message: 'There is no plant with this id.' },
  route_not_found: { error: 40402, status: 404, message: 'There is nothing at this path.' },
  method_not_allowed: {
    error: 40501,
    status: 405,
    message: 'This path does not know this method; the Allow header lists those it does.',
  },
  body_too_large: { error: 41301, status: 413, message: 'The body is too large.' },
  unsupported_media_type: {
    error: 41501,
    status: 415,
    message: 'Send the body as Content-Type: application/json, without Content-Encoding.',
  },
  internal: { error: 50001, status: 500, message: 'Something went wrong on the server.' },
  storage_unavailable: {
    error: 50301,
    status: 503,
    message: 'The plants are out of reach just now. Try again soon.',
  },
  auth_unavailable: {
    error: 50302,
    status: 503,
    message: 'The token could not be checked just now. Try again soon.',
  },
  timeout: { error: 50303, status: 503, message: 'The server took too long. Try again soon.' },
} as const satisfies Record<string, ErrorDefinition>

/** The name of a failure in the catalogue. */
export type ErrorName = keyof typeof errors
