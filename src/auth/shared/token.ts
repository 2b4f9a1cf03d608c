import { TOKEN68 } from '../../lib/text.ts'

/** The longest token that is accepted. Servers limit headers to about this length, and no issuer needs it. */
export const MAX_TOKEN_LENGTH = 16 * 1024

/** Why one is refused that a request can't carry. */
export const NOT_A_TOKEN = 'it is longer than 16 KiB, or not a token68 (RFC 9110, section 11.2)'

/** Whether a request can carry this token. */
export function isToken(token: unknown): boolean {
  return typeof token === 'string' && token.length <= MAX_TOKEN_LENGTH && TOKEN68.test(token)
}
