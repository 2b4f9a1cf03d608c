import { TOKEN68 } from '../lib/text.ts'

/** Schemes are case-insensitive (RFC 9110, section 11.1), and RFC 6750, section 2.1, allows several spaces. */
const CREDENTIALS = /^Bearer +(\S+)$/i

/** Reads the bearer token from the Authorization header. Returns undefined if it is missing or malformed. */
export function bearerToken(headers: { get(name: string): string | null }): string | undefined {
  const token = CREDENTIALS.exec(headers.get('authorization') ?? '')?.[1] ?? ''
  return TOKEN68.test(token) ? token : undefined
}
